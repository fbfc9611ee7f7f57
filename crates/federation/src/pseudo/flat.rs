//! Made-up rows that make all values of a column look equally frequent.
//!
//! A block of made-up rows goes to the value that is rarest so far, real rows and made-up ones together, in an order of its own for each
//! column. Once every value has had some blocks, what is left of a difference are block sizes drawn at random: they say nothing of how
//! often a value really occurs. Where made-up rows do not suffice, the values that are more frequent than the others can reach stick out.

use super::Block;
use crate::crypto::{below, shuffle};
use crate::data::{PartyColumn, PartyTable};
use crate::parties::PartyId;
use crate::plan::{Plan, Role};
use rand_core::CryptoRng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rows of the largest blocks that every value gets on top of what levels it, so that not even the most frequent one shows its number.
const BLOCKS_ON_TOP: u64 = 3;

/// Chooses the cells of the made-up rows, column by column: quasi-identifiers by block, other columns by row.
pub(super) fn flatten(
    blocks: &mut [Block],
    table: &PartyTable,
    (plan, me): (&Plan, PartyId),
    rng: &mut dyn CryptoRng,
) {
    for (position, column) in plan.columns_of(me).into_iter().zip(&table.columns) {
        let is_quasi = plan.columns[usize::from(position)].role.weight().is_some();
        let mut levelled = Levelled::new(column, blocks, position, rng);
        let mut order: Vec<usize> = (0..blocks.len()).filter(|&block| blocks[block].recombined).collect();
        shuffle(&mut order, rng);
        for block in order {
            let rows = &mut blocks[block].rows;
            if is_quasi {
                let source = levelled.raise(rows.len() as u64, rng);
                rows.iter_mut().for_each(|row| row.sources[usize::from(position)] = source);
            } else {
                rows.iter_mut().for_each(|row| row.sources[usize::from(position)] = levelled.raise(1, rng));
            }
        }
    }
}

/// How often each value of a column shows so far; the rarest first, ties by chance.
struct Levelled {
    values: BinaryHeap<Reverse<(u64, u64, u32)>>,
}

impl Levelled {
    /// Rows of the table, and made-up rows that stay copies.
    fn new(column: &PartyColumn, blocks: &[Block], position: u16, rng: &mut dyn CryptoRng) -> Levelled {
        let mut counts: Vec<(u64, Option<u32>)> = vec![(0, None); column.cells.len()];
        for (row, &code) in (0u32..).zip(&column.rows) {
            let entry = &mut counts[code as usize];
            *entry = (entry.0 + 1, Some(row));
        }
        for block in blocks.iter().filter(|block| !block.recombined) {
            for row in &block.rows {
                let code = column.rows[row.sources[usize::from(position)] as usize];
                counts[code as usize].0 += 1;
            }
        }
        let values = counts.into_iter().filter_map(|(count, row)| Some((count, row?)));
        Levelled { values: values.map(|(count, row)| Reverse((count, below(1 << 62, rng), row))).collect() }
    }

    /// Lets the rarest value show so many times more; gives a row that shows it.
    fn raise(&mut self, rows: u64, rng: &mut dyn CryptoRng) -> u32 {
        // A column with made-up rows has a real one.
        let Some(Reverse((count, _, row))) = self.values.pop() else { return 0 };
        self.values.push(Reverse((count + rows, below(1 << 62, rng), row)));
        row
    }
}

/// By column of a party: made-up rows per hundred that make it flat; 0 without rows.
pub(crate) fn percents_to_flatten(table: &PartyTable, plan: &Plan, me: PartyId) -> Vec<(u16, u64)> {
    let on_top = BLOCKS_ON_TOP * 2 * plan.least_class();
    let rows = (table.rows as u64).max(1);
    let needed = |(column, position): (&PartyColumn, u16)| {
        if plan.columns[usize::from(position)].role == Role::Membership {
            return (position, 0);
        }
        let mut counts = vec![0u64; column.cells.len()];
        column.rows.iter().for_each(|&code| counts[code as usize] += 1);
        let most = counts.iter().max().copied().unwrap_or(0);
        let values = counts.iter().filter(|&&count| count > 0).count() as u64;
        let more = if values < 2 { 0 } else { ((most + on_top) * values).saturating_sub(table.rows as u64) };
        (position, (more * 100).div_ceil(rows))
    };
    table.columns.iter().zip(plan.columns_of(me)).map(needed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::GroupKey;
    use crate::frequencies::read;
    use crate::{JointColumn, JointTable, Protocol, PseudoRows, PseudoShape, Shares, Split};
    use paravent_core::hierarchy::Hierarchy;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    /// One column whose values occur so often.
    fn table(counts: &[usize]) -> JointTable {
        let texts: Vec<String> = (0..counts.len()).map(|value| format!("value {value}")).collect();
        let values: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        let ladder = Hierarchy::Whole.ladder(&values).unwrap();
        let rows: Vec<u32> =
            (0u32..).zip(counts).flat_map(|(code, &n)| std::iter::repeat_n(code, n)).collect();
        let role = Role::QuasiIdentifier {
            height: 1,
            lowest: 0,
            highest: 1,
            weight: 1.0,
            shares: Shares::FromLeaves,
        };
        let data = PartyColumn::with_ladder(ladder, rows.clone());
        let column = JointColumn { name: "q".into(), role, data, hierarchy: None };
        JointTable { columns: vec![column], rows: rows.len(), sizes: None }
    }

    /// The share of cells that rank matching reads, on average over many choices; and a blind guess.
    fn share_read(counts: &[usize], shape: PseudoShape, more: u64) -> (f64, f64) {
        let joint = table(counts);
        let mut plan = joint.plan(Protocol::B, Split::Horizontal, 1);
        plan.criteria = vec![crate::Criterion::KAnonymity { k: 3 }];
        let part = &joint.deal(&plan)[0];
        let percent = percents_to_flatten(part, &plan, PartyId(0))[0].1 * more / 100;
        let pseudo = PseudoRows { percent: u16::try_from(percent).unwrap(), shape };
        let truth: Vec<u64> = counts.iter().map(|&count| count as u64).collect();
        let seeds = 400;
        let mut sum = 0.0;
        for seed in 0..seeds {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let key = GroupKey::private(&mut rng);
            let mut seen = truth.clone();
            for row in super::super::rows(pseudo, part, &key, (&plan, PartyId(0)), &mut rng) {
                seen[part.columns[0].rows[row.sources[0] as usize] as usize] += 1;
            }
            sum += read(&truth, &truth, &seen);
        }
        (sum / f64::from(seeds as u32), 1.0 / counts.len() as f64)
    }

    #[test]
    fn ranks_say_nothing_once_columns_are_flat() {
        for counts in [&[90, 10][..], &[50, 30, 20], &[60, 20, 10, 5, 5], &[40, 30, 12, 9, 5, 2, 1, 1]] {
            let (flat, blind) = share_read(counts, PseudoShape::Flat, 100);
            assert!((flat - blind).abs() < 0.06, "{counts:?}: {flat} is not near {blind}");
            // The defects: rows that follow the real frequencies, and too few of them.
            let (followed, _) = share_read(counts, PseudoShape::Copies, 100);
            assert!(followed > blind + 0.2, "{counts:?}: {followed}");
            let (few, _) = share_read(counts, PseudoShape::Flat, 20);
            assert!(few > blind + 0.2, "{counts:?}: {few}");
        }
    }
}
