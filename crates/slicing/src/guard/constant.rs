//! Columns that are the same all over a bucket.

use super::Examined;
use crate::checks::runs;
use std::collections::BTreeMap;

/// How many rows stand in buckets in which a column has one value: slicing changes nothing for them.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantColumn {
    /// Number of the first group that has it, from 1.
    pub group: usize,
    /// The column, as a position in the columns of the groups.
    pub column: usize,
    /// Rows in such buckets.
    pub rows: usize,
    /// Rows in such buckets if rows were dealt to buckets of these sizes at random. A column that is nearly constant in the table is so in most buckets,
    /// and tells nothing by it.
    pub expected: f64,
}

/// For every column that is mixed, unless its labels make the buckets.
pub(super) fn constant(what: &Examined<'_>) -> Vec<ConstantColumn> {
    let mut found: Vec<ConstantColumn> = Vec::new();
    for group in 0..what.groups.len() {
        for column in what.mixed(group) {
            let counts = !what.labelled.contains(&column);
            if counts && found.iter().all(|known| known.column != column) {
                let codes = what.table.columns[column];
                let (rows, expected) = (in_constant(what, codes), expected(what, codes));
                found.push(ConstantColumn { group: group + 1, column, rows, expected });
            }
        }
    }
    found
}

fn in_constant(what: &Examined<'_>, codes: &[u32]) -> usize {
    let same =
        |bucket: &&[u32]| bucket.windows(2).all(|two| codes[two[0] as usize] == codes[two[1] as usize]);
    what.table.layout.iter().filter(same).map(<[u32]>::len).sum()
}

/// `Σ_buckets size · Σ_values C(n_value, size) / C(n, size)`.
fn expected(what: &Examined<'_>, codes: &[u32]) -> f64 {
    let mut sorted = codes.to_vec();
    sorted.sort_unstable();
    let counts: Vec<u32> = runs(&sorted).map(|(_, count)| count).collect();
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    what.table.layout.iter().for_each(|bucket| *sizes.entry(bucket.len()).or_default() += 1);
    let rows = codes.len();
    let of_size = |(&size, &buckets): (&usize, &usize)| {
        let each: f64 = counts.iter().map(|&count| all_from(count as usize, rows, size)).sum();
        each * (size * buckets) as f64
    };
    sizes.iter().map(of_size).sum()
}

/// The probability that `size` rows drawn from `rows` are all among the same `count`.
fn all_from(count: usize, rows: usize, size: usize) -> f64 {
    let mut probability = 1.0;
    for drawn in 0..size {
        if drawn >= count || probability < 1e-12 {
            return 0.0;
        }
        probability *= (count - drawn) as f64 / (rows - drawn) as f64;
    }
    probability
}
