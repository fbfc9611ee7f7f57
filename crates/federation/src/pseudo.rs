//! Made-up rows.

mod flat;

pub(crate) use flat::percents_to_flatten;

use crate::crypto::{Domain, GroupKey, below};
use crate::data::PartyTable;
use crate::label;
use crate::parties::PartyId;
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

/// The made-up rows of a party. Vertically, all parties choose alike, by a seed from the group key: how many rows are equal, and which
/// rows are copied in the order of their identifiers. To make frequencies flat every party chooses the cells of its own columns by itself.
pub(crate) fn rows(
    pseudo: PseudoRows,
    table: &PartyTable,
    key: &GroupKey,
    (plan, me): (&Plan, PartyId),
    rng: &mut dyn CryptoRng,
) -> Vec<MadeUp> {
    let wanted = (table.rows * usize::from(pseudo.percent)).div_ceil(100);
    let mut order: Vec<u32> = (0..table.rows as u32).collect();
    let mut common = match plan.split {
        Split::Horizontal => {
            let mut seed = [0u8; 32];
            rng.fill_bytes(&mut seed);
            ChaCha20Rng::from_seed(seed)
        }
        Split::Vertical => {
            order
                .sort_unstable_by(|&a, &b| table.identifiers[a as usize].cmp(&table.identifiers[b as usize]));
            ChaCha20Rng::from_seed(*key.seed(Domain::Choices).expose())
        }
    };
    let mut made_up = choose(pseudo.shape, wanted, &order, table, plan, &mut common);
    if pseudo.shape == PseudoShape::Flat {
        flat::flatten(&mut made_up, table, (plan, me), rng);
    }
    made_up.into_iter().flat_map(|block| block.rows).collect()
}

/// Made-up rows that are equal in the quasi-identifiers.
pub(crate) struct Block {
    rows: Vec<MadeUp>,
    /// Whether cells were put together anew: a single row that is no block must stay the copy it is.
    recombined: bool,
}

fn choose(
    shape: PseudoShape,
    wanted: usize,
    order: &[u32],
    table: &PartyTable,
    plan: &Plan,
    rng: &mut dyn CryptoRng,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    if order.is_empty() {
        return blocks;
    }
    let columns = plan.columns.len();
    let least = plan.least_class();
    let mut made_up = 0usize;
    while made_up < wanted {
        let any = |rng: &mut dyn CryptoRng| order[below(order.len() as u64, rng) as usize];
        let left = wanted - made_up;
        // Too few for a block that no class can be smaller than: copies of a real row.
        let recombined = shape != PseudoShape::Copies && left as u64 >= least;
        let (sources, size) = if recombined {
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
        let row = |number: usize| MadeUp {
            sources: sources.clone(),
            identifier: identifier((made_up + number) as u64, length),
        };
        blocks.push(Block { rows: (0..size).map(row).collect(), recombined });
        made_up += size;
    }
    blocks
}

/// No label is encoded like this: they start with 0 or 1.
fn identifier(number: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; length.max(16)];
    bytes[0] = 2;
    bytes[1..9].copy_from_slice(&number.to_le_bytes());
    bytes
}
