//! Protocol A, second half: search, decrypt, decode.
//!
//! Result  the release at the last but one party of the ring.
//! Leaks   to every party: the released labels, before they are published.
//! Cost    n−1 messages to decrypt, n−1 to decode; d operations per party.
//!
//! From the master to the right, every party counts the classes on tokens, takes off its layer and shuffles. What is left are hashes under a key of the run; on a second
//! way round, every party replaces the hashes it knows, and encrypts the labels for the others on the way.

use super::encrypt::{RingKeys, left, right};
use crate::crypto::CommutativeLayer;
use crate::engine::{CodedTable, Engine};
use crate::error::ProtocolError;
use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::plan::Plan;
use crate::protocols::recount::{self, Brought};
use crate::protocols::sealing::{kept_rows, seal_release, shuffled};
use crate::protocols::{Context, Phase, State, Stepped, done, fit, next, unexpected};
use crate::table::{finish, open_with, remove_layer};
use crate::wire::{CounterList, EncryptedPart, Message, SealedRelease};

/// The master has the encrypted table.
pub(in crate::protocols) struct Searching {
    pub(in crate::protocols) table: EncryptedPart,
    pub(in crate::protocols) keys: RingKeys,
}

impl State for Searching {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let release = anonymize(&self.table, None, context)?;
        let release = context.conduct.hands_out(release, &self.table, context.plan);
        let release = release.map(|release| take_off(release, &self.keys, context)).transpose()?;
        next(Decoding { keys: self.keys }, vec![(right(context), Message::Release(release))])
    }
}

/// Searches a table of tokens and makes the release.
pub(in crate::protocols) fn anonymize(
    table: &EncryptedPart,
    origins: Option<Vec<u32>>,
    context: &mut Context<'_>,
) -> Result<Option<SealedRelease>, ProtocolError> {
    let rows: Vec<u32> = (0..table.rows).collect();
    // Values that no row shows would count as distinct values, and as leaves.
    let table = table.rows_at(&rows);
    let coded = CodedTable::of_tokens(context.plan, &table, origins)?;
    let engine = Engine::new(context.plan, &coded)?;
    let found = engine.search(context.plan, &coded)?;
    Ok(found.map(|found| {
        let rows = kept_rows(&found.kept, context.rng);
        let population = coded.population(context.plan, &found.facts.node, &rows);
        let mut release = seal_release(context.plan, &table, found.facts, &rows, CounterList::default());
        for column in &mut release.columns {
            column.reference = coded.reference(context.plan, column.column, &rows);
        }
        SealedRelease { population, ..release }
    }))
}

fn take_off(
    release: SealedRelease,
    keys: &RingKeys,
    context: &mut Context<'_>,
) -> Result<SealedRelease, ProtocolError> {
    let mut columns = Vec::new();
    for column in &release.columns {
        let level = context.plan.released_level(column.column, &release.facts.node);
        let layer = keys.layer(column.column, level)?;
        columns.push(remove_layer(column, |tokens| layer.remove(tokens))?);
    }
    Ok(shuffled(SealedRelease { columns, ..release }, context.rng))
}

/// Replaces the hashes this party knows of the levels that the release says it has.
fn decode(release: SealedRelease, keys: &RingKeys, plan: &Plan) -> Result<SealedRelease, ProtocolError> {
    let mut columns = Vec::new();
    for column in &release.columns {
        let level = plan.released_level(column.column, &release.facts.node);
        let known = keys.known.get(&(column.column, level));
        columns.push(open_with(column, &keys.group, |token| known?.get(token).cloned())?);
    }
    Ok(SealedRelease { columns, ..release })
}

/// Waits for the encrypted release.
pub(in crate::protocols) struct Home {
    keys: RingKeys,
}

impl Home {
    pub(in crate::protocols) fn new(keys: RingKeys) -> Home {
        Home { keys }
    }
}

impl State for Home {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Release(release))) = message else {
            return Err(unexpected(message, context.me));
        };
        if let Some(release) = &release {
            fit::release(context, from, release)?;
            let master = PartyId(0);
            recount::on_tokens(context, master, release, Brought::Known(self.keys.rows))?;
        }
        let is_last = context.me.0 + 1 == context.plan.primaries();
        let outcome = if release.is_some() { Outcome::Contributed } else { Outcome::Infeasible };
        let release = release.map(|release| take_off(release, &self.keys, context)).transpose()?;
        if !is_last {
            return next(Decoding { keys: self.keys }, vec![(right(context), Message::Release(release))]);
        }
        let decoded = release.map(|release| decode(release, &self.keys, context.plan)).transpose()?;
        done(outcome, vec![(right(context), Message::Decoding(decoded))])
    }
}

/// Waits for the release without layers.
struct Decoding {
    keys: RingKeys,
}

impl State for Decoding {
    fn phase(&self) -> Phase {
        Phase::Decode
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Decoding(release))) = message else {
            return Err(unexpected(message, context.me));
        };
        let is_receiver = context.me.0 + 2 == context.plan.primaries();
        let Some(release) = release else {
            let onwards =
                if is_receiver { Vec::new() } else { vec![(right(context), Message::Decoding(None))] };
            return done(Outcome::Infeasible, onwards);
        };
        fit::release(context, from, &release)?;
        let decoded = decode(release, &self.keys, context.plan)?;
        if is_receiver {
            return done(Outcome::Released(finish(context.plan, &self.keys.group, &decoded)?), Vec::new());
        }
        done(Outcome::Contributed, vec![(right(context), Message::Decoding(Some(decoded)))])
    }
}
