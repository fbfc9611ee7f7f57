//! Protocol C, a primary party: adds made-up rows, and to every row an encrypted counter: 1 real, 0 made up.
//!
//! Result  parts at the helper in which nobody there can tell real rows from made-up ones.
//! Cost    one public key, n parts; about (r + r')/n encryptions of counters per party.
//!
//! Vertically the made-up rows have identifiers that all parties derive alike, and a person has one counter, of the party that the encrypted
//! identifier falls to. Encrypted zeros of the others would change no sum, and everybody knows that they are zeros.

use super::assistant::Assisting;
use super::reader::Reading;
use super::share::Counted;
use crate::crypto::{AdditiveCounters, Domain, ElGamal, ElGamalPublic, GroupKey, permutation};
use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::plan::{PseudoRows, Split};
use crate::protocols::helper::primary;
use crate::protocols::sealing::{Ciphers, Keys};
use crate::protocols::{Context, Outbox, Stepped, next};
use crate::pseudo;
use crate::table::{Counts, counted_rows};
use crate::wire::{CounterList, EncryptedPart, Message};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// Every primary party derives the key of the counters; the first one tells the helper its public half.
pub(in crate::protocols) fn start(
    group: GroupKey,
    table: PartyTable,
    pseudo: PseudoRows,
    ciphers: Box<dyn Ciphers>,
    context: &mut Context<'_>,
) -> Stepped {
    let mut seeded = ChaCha20Rng::from_seed(*group.seed(Domain::Counters).expose());
    let (secret, public) = ElGamal::generate(&mut seeded);
    let keys = Keys::new(group, ciphers, table.rows, context);
    let helper = primary::helper(context)?;
    let mut outbox: Outbox = Vec::new();
    if context.me.0 == 0 {
        outbox.push((helper, Message::CounterKey(public.to_bytes())));
    }
    outbox.push((helper, Message::Part(counted_part(&keys, &table, pseudo, &public, context)?)));
    let counted = Counted::new(secret, context)?;
    match context.me {
        PartyId(0) => next(Reading::new(keys, counted), outbox),
        _ => next(Assisting::new(keys, counted), outbox),
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
    for (column, &position) in part.columns.iter_mut().zip(&positions) {
        let cells: Vec<u32> =
            made_up.iter().map(|row| column.cells[row.sources[usize::from(position)] as usize]).collect();
        column.cells.extend(cells);
    }
    if context.plan.split == Split::Vertical {
        let identifiers: Vec<Vec<u8>> = made_up.iter().map(|row| row.identifier.clone()).collect();
        part.identifiers.extend(keys.seal_identifiers(&identifiers)?);
    }
    part.rows = (table.rows + made_up.len()) as u32;
    let order = permutation(part.rows as usize, context.rng);
    let part = part.in_order(&order);
    let at = context.plan.marks().map(|marks| marks as u16);
    let marks = at.and_then(|at| positions.iter().position(|&position| position == at));
    let marks = marks.map(|column| table.columns[column].rows.as_slice());
    let mut encrypted = |counts: Counts| {
        let count = |row: u32| match marks.filter(|_| counts == Counts::Rows) {
            Some(marks) => marks.get(row as usize).copied().unwrap_or(0).into(),
            // Made-up rows come after those of the table.
            None => u64::from((row as usize) < table.rows),
        };
        let rows = counted_rows(context.plan, context.me, &part, counts);
        let counts: Vec<u64> = rows.iter().map(|&row| count(order[row as usize])).collect();
        CounterList(public.encrypt_to_bytes(&counts, context.rng))
    };
    let (population, counters) = (encrypted(Counts::Population), encrypted(Counts::Rows));
    Ok(EncryptedPart { counters, population, ..part })
}
