//! Shared or dependent columns undo a slicing.
//!
//! Slicing breaks the link between two groups of columns within each bucket. Where a value of one group determines a value of the
//! other (a functional dependency the attacker knows, or a column in both groups), only rows with that value can be partners: a
//! bucket falls into blocks. A random pairing of b rows puts one of them right on average, so with blocks the attacker restores
//! one row per block instead of one per bucket. Figure: blocks / rows. Li et al., "Slicing: a new approach for privacy preserving data
//! publishing", TKDE 24(3), 2012.

use super::catalogue::{Card, Tried};
use super::means::{Link, Means};
use super::outcome::percent;
use super::planted::Plant;
use super::{Attack, Bound, Figure, Outcome, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;
use std::collections::BTreeMap;

pub(super) static CARD: Card = Card {
    name: "relinking",
    question: "Do shared columns undo the slicing?",
    assumption: "The attacker knows which value of one column group goes with which value of the other, or sees a column in both.",
    source: "Li et al., Slicing, TKDE 2012",
    needs: "a sliced table with a column that tells one of another group (--sliced TABLE --bucket COLUMN --group A,B --group C)",
    tried: Tried::OnRequest,
};

/// What blocks give away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relinked {
    /// Rows of the table.
    pub rows: u64,
    /// Rows that are restored with certainty: alone in their block on both sides.
    pub certain: u64,
    /// Rows that are restored on average.
    pub expected: f64,
    /// Rows that would be without the dependency.
    pub blind: f64,
}

/// Pairs the rows of two column groups by keys in one numbering: left and right keys are equal where the groups can belong together.
#[must_use]
pub fn relink(buckets: &[u32], left: &[u32], right: &[u32]) -> Relinked {
    let mut blocks: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for ((&bucket, &left), &right) in buckets.iter().zip(left).zip(right) {
        blocks.entry((bucket, left)).or_default().0 += 1;
        blocks.entry((bucket, right)).or_default().1 += 1;
        *sizes.entry(bucket).or_default() += 1;
    }
    // min/max: a block of a left rows and b right ones restores min(a, b)/max(a, b) rows on average, 1 if they are as many.
    let expected = blocks
        .values()
        .map(|&(a, b)| if a.max(b) == 0 { 0.0 } else { a.min(b) as f64 / a.max(b) as f64 })
        .sum();
    let certain = blocks.values().filter(|&&block| block == (1, 1)).count() as u64;
    Relinked { rows: buckets.len() as u64, certain, expected, blind: sizes.len() as f64 }
}

/// Runs the attack between two columns (`name`s them); more than `tolerated` of the rows restored is told.
#[must_use]
pub fn relinking(buckets: &[u32], left: &[u32], right: &[u32], name: &str, tolerated: f64) -> Outcome {
    let found = relink(buckets, left, right);
    let rows = found.rows.max(1) as f64;
    let (share, blind) = (found.expected / rows, found.blind / rows);
    let severity = if share > tolerated && share > blind { Severity::Residual } else { Severity::Covered };
    let result = format!(
        "{} of the rows are put together again on average ({} without the dependency), {} with certainty.",
        percent(share),
        percent(blind),
        percent(found.certain as f64 / rows)
    );
    Outcome::new(
        Attack::Relinking,
        severity,
        Figure { what: "rows put together again", value: share, unit: Unit::Share },
        result,
    )
    .about(name)
    .against(Some(Bound {
        value: tolerated.max(blind),
        from: "the share that is tolerated, or what chance gives".to_owned(),
    }))
    .with("rows restored with certainty", found.certain)
    .with("rows restored on average", format!("{:.1}", found.expected))
    .with("rows restored by chance", format!("{:.1}", found.blind))
}

/// More than this share of restored rows is told.
const TOLERATED: f64 = 0.5;

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(sliced) = &means.sliced else { return Vec::new() };
    let of = |link: &Link<'_>| relinking(sliced.buckets, &link.key, link.right, &link.name, TOLERATED);
    sliced.links.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let buckets: Vec<u32> = (0..60).map(|row| row / 3).collect();
    let key: Vec<u32> = (0..60).map(|row| if plant == Plant::Weak { row % 3 } else { 0 }).collect();
    let mut shuffled = key.clone();
    shuffled.chunks_mut(3).for_each(|bucket| bucket.shuffle(random));
    relinking(&buckets, &key, &shuffled, "zip", TOLERATED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_shared_column_undoes_the_slicing() {
        // Two buckets of three rows; a column with different values is in both groups.
        let found = relink(&[0, 0, 0, 1, 1, 1], &[1, 2, 3, 1, 2, 2], &[3, 1, 2, 2, 1, 2]);
        assert_eq!((found.certain, found.expected, found.blind), (4, 5.0, 2.0));
        let outcome = relinking(&[0, 0, 0], &[1, 2, 3], &[2, 3, 1], "zip", 0.5);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Residual, 1.0));
        let useless = relinking(&[0, 0, 0], &[1, 1, 1], &[1, 1, 1], "zip", 0.5);
        assert_eq!(useless.severity, Severity::Covered);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// The mean number of rows at their place over all pairings that respect the keys. The right side is the left one shuffled.
        #[test]
        fn the_mean_is_that_over_all_pairings(keys in prop::collection::vec(0u32..3, 1..6)) {
            fn pairings(keys: &[u32], used: &mut Vec<usize>, hits: &mut (u64, u64)) {
                if used.len() == keys.len() {
                    hits.0 += 1;
                    hits.1 += used.iter().enumerate().filter(|(row, partner)| row == *partner).count() as u64;
                    return;
                }
                for partner in 0..keys.len() {
                    if keys[partner] == keys[used.len()] && !used.contains(&partner) {
                        used.push(partner);
                        pairings(keys, used, hits);
                        used.pop();
                    }
                }
            }
            let mut hits = (0, 0);
            pairings(&keys, &mut Vec::new(), &mut hits);
            let shuffled: Vec<u32> = keys.iter().rev().copied().collect();
            let found = relink(&vec![0; keys.len()], &keys, &shuffled);
            prop_assert!((found.expected - hits.1 as f64 / hits.0 as f64).abs() < 1e-9);
        }
    }
}
