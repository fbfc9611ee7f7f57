//! Overlapping groups: can the values they share link them again?

use rayon::prelude::*;

use super::{Sliced, frequencies, numbered};
use crate::groups::ColumnGroups;

/// What two groups with common columns give away.
#[derive(Debug, Clone, PartialEq)]
pub struct Relinking {
    /// Numbers of the two groups, from 1.
    pub groups: (usize, usize),
    /// The columns they share, as positions in [`ColumnGroups::columns`].
    pub columns: Vec<usize>,
    /// How often the rarest shared value (all shared columns together) occurs in its bucket.
    pub least: u32,
    /// Pairs of value and bucket below the required number.
    pub values_below: usize,
    /// Rows with such values.
    pub rows_below: usize,
    /// Rows whose shared value is alone in its bucket: linked again for certain.
    pub certain_rows: usize,
    /// Expected share of rows that are linked rightly by somebody who knows the buckets and picks among rows with the same shared value:
    /// `Σ_buckets distinct values / rows`, in (0, 1].
    pub expected: f64,
    /// The same without shared values: `buckets / rows`.
    pub without: f64,
}

impl Relinking {
    /// Does every shared value occur often enough in its bucket?
    pub fn holds(&self) -> bool {
        self.values_below == 0
    }
}

/// For every two groups with common columns: does each shared value occur at least `l` times per bucket, and what can be linked? `table` is the table before slicing (columns
/// of [`ColumnGroups::columns`]); the bags, and so the answer, are those of the release.
pub fn relinking(groups: &ColumnGroups, table: Sliced<'_>, l: u32) -> Vec<Relinking> {
    let mut found = Vec::new();
    for first in 0..groups.len() {
        for second in first + 1..groups.len() {
            let theirs = &groups.groups()[second];
            let shared: Vec<usize> =
                groups.groups()[first].iter().copied().filter(|column| theirs.contains(column)).collect();
            if !shared.is_empty() {
                found.push(shared_values(table, (first + 1, second + 1), shared, l));
            }
        }
    }
    found
}

fn shared_values(table: Sliced<'_>, groups: (usize, usize), shared: Vec<usize>, l: u32) -> Relinking {
    let columns: Vec<&[u32]> = table.pick(&shared);
    let layout = table.layout;
    let counts: Vec<Vec<u32>> = (0..layout.buckets())
        .into_par_iter()
        .map(|bucket| {
            let (numbers, distinct) = numbered(&columns, layout.bucket(bucket));
            frequencies(&numbers, distinct)
        })
        .collect();
    let all = || counts.iter().flatten().copied();
    let rows = layout.rows().max(1) as f64;
    Relinking {
        groups,
        least: all().min().unwrap_or(0),
        values_below: all().filter(|&count| count < l).count(),
        rows_below: all().filter(|&count| count < l).map(|count| count as usize).sum(),
        certain_rows: all().filter(|&count| count == 1).count(),
        expected: all().count() as f64 / rows,
        without: layout.buckets() as f64 / rows,
        columns: shared,
    }
}
