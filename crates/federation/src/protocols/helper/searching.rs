//! Protocol B, the helper: integrates and anonymizes what it cannot read.
//!
//! Learns  sizes, equality of cells per column, hence distributions, and whose row is whose; no label.
//! Trust   semi-honest, does not collude with a primary party.

use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::plan::{Plan, Split};
use crate::protocols::fit::{self, Carries};
use crate::protocols::ring::home::anonymize;
use crate::protocols::{Context, Phase, State, Stepped, done, next, unexpected};
use crate::table::{concatenate, join};
use crate::wire::{EncryptedPart, Message};
use std::collections::BTreeMap;

pub(in crate::protocols) fn start() -> Stepped {
    next(Collecting { parts: BTreeMap::new() }, Vec::new())
}

/// Waits for the parts.
struct Collecting {
    parts: BTreeMap<PartyId, EncryptedPart>,
}

/// The primary parties whose part is missing.
pub(in crate::protocols) fn missing(plan: &Plan, parts: &BTreeMap<PartyId, EncryptedPart>) -> Vec<PartyId> {
    (0..plan.primaries()).map(PartyId).filter(|party| !parts.contains_key(party)).collect()
}

/// One table of all parts, and horizontally whose row each is.
pub(in crate::protocols) fn integrate(
    plan: &Plan,
    parts: BTreeMap<PartyId, EncryptedPart>,
) -> Result<(EncryptedPart, Option<Vec<u32>>), crate::error::ProtocolError> {
    match plan.split {
        Split::Horizontal => {
            let origins = parts.iter().flat_map(|(party, part)| (0..part.rows).map(|_| u32::from(party.0)));
            let origins = origins.collect();
            Ok((concatenate(plan, parts.into_values().collect())?, Some(origins)))
        }
        Split::Vertical => Ok((join(plan, parts.into_values().collect())?, None)),
    }
}

impl State for Collecting {
    fn phase(&self) -> Phase {
        Phase::Integrate
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        missing(context.plan, &self.parts)
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Part(part))) = message else { return Err(unexpected(message, context.me)) };
        fit::part(context, from, &part, &context.plan.columns_of(from), Carries::Identifiers)?;
        self.parts.insert(from, part);
        if !missing(context.plan, &self.parts).is_empty() {
            return next(*self, Vec::new());
        }
        let (table, origins) = integrate(context.plan, self.parts)?;
        next(Searching { table, origins }, Vec::new())
    }
}

/// Has the encrypted table.
struct Searching {
    table: EncryptedPart,
    origins: Option<Vec<u32>>,
}

impl State for Searching {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let release = anonymize(&self.table, self.origins, context)?;
        let release = context.conduct.hands_out(release, &self.table, context.plan);
        let outcome = if release.is_some() { Outcome::Contributed } else { Outcome::Infeasible };
        done(outcome, vec![(PartyId(0), Message::Release(release))])
    }
}
