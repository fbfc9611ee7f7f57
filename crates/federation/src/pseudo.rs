//! Made-up rows.

use crate::crypto::{Domain, GroupKey, below};
use crate::data::PartyTable;
use crate::label;
use crate::plan::{Plan, PseudoRows, PseudoShape, Split};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use rand_core::CryptoRng;

/// A made-up row: by column of the plan, the row of the party's table whose cell it copies.
pub(crate) struct MadeUp {
    pub(crate) sources: Vec<u32>,
    /// Vertical: what stands for its identifier, as it is encrypted.
    pub(crate) identifier: Vec<u8>,
}

/// The made-up rows of a party. Vertically, all parties choose alike: by a seed from the group key, over the rows in the order of
/// their identifiers.
pub(crate) fn rows(
    pseudo: PseudoRows,
    table: &PartyTable,
    key: &GroupKey,
    plan: &Plan,
    rng: &mut dyn CryptoRng,
) -> Vec<MadeUp> {
    let wanted = (table.rows * usize::from(pseudo.percent)).div_ceil(100);
    match plan.split {
        Split::Horizontal => {
            let order: Vec<u32> = (0..table.rows as u32).collect();
            choose(pseudo.shape, wanted, &order, table, plan, rng)
        }
        Split::Vertical => {
            let mut order: Vec<u32> = (0..table.rows as u32).collect();
            order
                .sort_unstable_by(|&a, &b| table.identifiers[a as usize].cmp(&table.identifiers[b as usize]));
            let mut common = ChaCha20Rng::from_seed(*key.seed(Domain::Choices).expose());
            choose(pseudo.shape, wanted, &order, table, plan, &mut common)
        }
    }
}

fn choose(
    shape: PseudoShape,
    wanted: usize,
    order: &[u32],
    table: &PartyTable,
    plan: &Plan,
    rng: &mut dyn CryptoRng,
) -> Vec<MadeUp> {
    let mut made_up: Vec<MadeUp> = Vec::with_capacity(wanted);
    if order.is_empty() {
        return made_up;
    }
    let columns = plan.columns.len();
    let least = plan.least_class();
    while made_up.len() < wanted {
        let any = |rng: &mut dyn CryptoRng| order[below(order.len() as u64, rng) as usize];
        let left = wanted - made_up.len();
        // Too few for a block that no class can be smaller than: copies of a real row.
        let block = shape == PseudoShape::Blocks && left as u64 >= least;
        let (sources, size) = if block {
            let size = least + below(least, rng);
            let size = usize::try_from(size).unwrap_or(left);
            let rest = left.saturating_sub(size);
            let size = if (rest as u64) < least { left } else { size };
            ((0..columns).map(|_| any(rng)).collect::<Vec<u32>>(), size.min(left))
        } else {
            (vec![any(rng); columns], 1)
        };
        // As long as a real one, so that its token is no shorter or longer than others.
        let like = any(rng);
        let length = table.identifiers.get(like as usize).map_or(32, |text| label::encode(Some(text)).len());
        for _ in 0..size {
            let identifier = identifier(made_up.len() as u64, length);
            made_up.push(MadeUp { sources: sources.clone(), identifier });
        }
    }
    made_up
}

/// No label is encoded like this: they start with 0 or 1.
fn identifier(number: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; length.max(16)];
    bytes[0] = 2;
    bytes[1..9].copy_from_slice(&number.to_le_bytes());
    bytes
}
