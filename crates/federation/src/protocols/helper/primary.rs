//! Protocol B, a primary party: encrypts its part for the helper; brings the release home.
//!
//! Trust   semi-honest; the helper does not collude with any party.
//! Leaks   nothing to other primary parties, as long as parts reach only the helper: with common keys each could decrypt them.
//! Cost    n parts to the helper and one release back, with private keys n−1 more; r + d/n encryptions vertically, d horizontally.

use crate::crypto::GroupKey;
use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::plan::ColumnKeys;
use crate::protocols::recount;
use crate::protocols::sealing::{Ciphers, Keys};
use crate::protocols::{Context, Outbox, Phase, State, Stepped, done, fit, next, unexpected};
use crate::table::finish;
use crate::wire::{Message, SealedRelease};

/// Encrypts and shuffles the part.
pub(in crate::protocols) fn start(
    group: GroupKey,
    table: PartyTable,
    ciphers: Box<dyn Ciphers>,
    context: &mut Context<'_>,
) -> Stepped {
    let keys = Keys::new(group, ciphers, table.rows, context);
    let part = keys.seal(&table, context)?.shuffled(context.rng);
    let outbox = vec![(helper(context)?, Message::Part(part))];
    if context.me.0 == 0 {
        return next(Receiving { keys }, outbox);
    }
    after_sending(keys, outbox, context)
}

/// What is left to do for a party that is not the first.
pub(in crate::protocols) fn after_sending(keys: Keys, outbox: Outbox, context: &Context<'_>) -> Stepped {
    match context.plan.column_keys {
        ColumnKeys::Common => done(Outcome::Contributed, outbox),
        ColumnKeys::Private => next(Opening { keys }, outbox),
    }
}

pub(in crate::protocols) fn helper(context: &Context<'_>) -> Result<PartyId, ProtocolError> {
    context.plan.helper().ok_or(ProtocolError::Unfit { from: context.me, why: "the plan has no helper" })
}

/// The first party waits for the release.
struct Receiving {
    keys: Keys,
}

impl State for Receiving {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        context.plan.helper().into_iter().collect()
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Release(release))) = message else {
            return Err(unexpected(message, context.me));
        };
        if let Some(release) = &release {
            fit::release(context, from, release)?;
            recount::on_tokens(context, from, release, self.keys.brought)?;
        }
        open(&self.keys, release, context)
    }
}

/// Opens what this party can open; passes the rest on, or is done.
pub(in crate::protocols) fn open(
    keys: &Keys,
    release: Option<SealedRelease>,
    context: &mut Context<'_>,
) -> Stepped {
    let is_last =
        context.me.0 + 1 == context.plan.primaries() || context.plan.column_keys == ColumnKeys::Common;
    let onwards = PartyId(context.me.0 + 1);
    let Some(release) = release else {
        let outbox = if is_last { Vec::new() } else { vec![(onwards, Message::Decoding(None))] };
        return done(Outcome::Infeasible, outbox);
    };
    let opened = keys.open(release, context)?;
    if is_last {
        return done(Outcome::Released(finish(context.plan, &keys.group, &opened)?), Vec::new());
    }
    done(Outcome::Contributed, vec![(onwards, Message::Decoding(Some(opened)))])
}

/// With private keys, the others wait for their turn to open their columns.
struct Opening {
    keys: Keys,
}

impl State for Opening {
    fn phase(&self) -> Phase {
        Phase::Decode
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![PartyId(context.me.0.saturating_sub(1))]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Decoding(release))) = message else {
            return Err(unexpected(message, context.me));
        };
        if let Some(release) = &release {
            fit::release(context, from, release)?;
            // Who counted is the helper; it came through the others.
            let helper = context.plan.helper().unwrap_or(from);
            recount::on_tokens(context, helper, release, self.keys.brought)?;
        }
        open(&self.keys, release, context)
    }
}
