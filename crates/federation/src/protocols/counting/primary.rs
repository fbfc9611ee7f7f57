//! Protocol C, a primary party: adds made-up rows, and to every row an encrypted counter: 1 real, 0 made up.
//!
//! Result  parts at the helper in which nobody there can tell real rows from made-up ones.
//! Cost    n public keys, n parts; (r + r')/n encryptions of counters per party horizontally, r + r' at the first party vertically.
//!
//! Vertically the made-up rows have identifiers that all parties derive alike, and only the first party counts: a person has one
//! counter. Encrypted zeros of the others would change no sum, and everybody knows from the plan that they are zeros.

use super::reader::Reading;
use crate::crypto::{AdditiveCounters, ElGamal, ElGamalCounter, ElGamalPublic, GroupKey};
use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::plan::{PseudoRows, Split};
use crate::protocols::helper::primary;
use crate::protocols::sealing::{Ciphers, Keys};
use crate::protocols::{Context, Outbox, Phase, State, Stepped, next, unexpected};
use crate::pseudo;
use crate::wire::{CounterList, EncryptedPart, Message};

/// The first party makes the key of the counters; the others wait for it.
pub(in crate::protocols) fn start(
    group: GroupKey,
    table: PartyTable,
    pseudo: PseudoRows,
    ciphers: Box<dyn Ciphers>,
    context: &mut Context<'_>,
) -> Stepped {
    let keys = Keys::new(group, ciphers, table.rows, context);
    if context.me.0 > 0 {
        return next(AwaitingKey { keys, table, pseudo }, Vec::new());
    }
    let (secret, public) = ElGamal::generate(context.rng);
    let others = context.plan.others(context.me).into_iter().chain(context.plan.helper());
    let mut outbox: Outbox = others.map(|party| (party, Message::CounterKey(public.to_bytes()))).collect();
    outbox.push((
        primary::helper(context)?,
        Message::Part(counted_part(&keys, &table, pseudo, &public, context)?),
    ));
    next(Reading::new(keys, secret), outbox)
}

struct AwaitingKey {
    keys: Keys,
    table: PartyTable,
    pseudo: PseudoRows,
}

impl State for AwaitingKey {
    fn phase(&self) -> Phase {
        Phase::Encrypt
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        vec![PartyId(0)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((_, Message::CounterKey(key))) = message else {
            return Err(unexpected(message, context.me));
        };
        let public = ElGamalPublic::from_bytes(&key)?;
        let part = counted_part(&self.keys, &self.table, self.pseudo, &public, context)?;
        let outbox = vec![(primary::helper(context)?, Message::Part(part))];
        primary::after_sending(self.keys, outbox, context)
    }
}

/// The part with made-up rows and counters, shuffled.
fn counted_part(
    keys: &Keys,
    table: &PartyTable,
    pseudo: PseudoRows,
    public: &ElGamalPublic,
    context: &mut Context<'_>,
) -> Result<EncryptedPart, ProtocolError> {
    let made_up = pseudo::rows(pseudo, table, &keys.group, (context.plan, context.me), context.rng);
    let mut part = keys.seal(table, context)?;
    let positions = context.plan.columns_of(context.me);
    for (column, position) in part.columns.iter_mut().zip(positions) {
        let cells: Vec<u32> =
            made_up.iter().map(|row| column.cells[row.sources[usize::from(position)] as usize]).collect();
        column.cells.extend(cells);
    }
    if context.plan.split == Split::Vertical {
        let identifiers: Vec<Vec<u8>> = made_up.iter().map(|row| row.identifier.clone()).collect();
        part.identifiers.extend(keys.seal_identifiers(&identifiers)?);
    }
    let mut counts = vec![1u64; table.rows];
    counts.resize(table.rows + made_up.len(), 0);
    part.rows = counts.len() as u32;
    if context.plan.counts_rows(context.me) {
        let counters = ElGamal::encrypt(public, &counts, context.rng);
        part.counters = CounterList(ElGamalCounter::write_all(&counters));
    }
    Ok(part.shuffled(context.rng))
}
