//! Columns of different groups where one tells the other.
//!
//! Whoever knows that a zip code determines the city can put the two together again after slicing.

use rayon::prelude::*;

use super::runs;
use crate::groups::ColumnGroups;

/// One column that (nearly) determines another in a different group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dependency {
    /// The column that tells, as a position in [`ColumnGroups::columns`].
    pub determinant: usize,
    /// The column that is told.
    pub dependent: usize,
    /// Share of rows for which the commonest partner of their determinant's value is the right one: `Σ_a max_b n_ab / n`; 1 is an exact functional dependency.
    pub share: f64,
    /// The same without knowing the determinant: the share of the commonest value.
    pub without: f64,
    /// Rows per value of the determinant, on average.
    pub rows_per_value: f64,
}

impl Dependency {
    /// Is it a functional dependency in the strict sense?
    pub fn is_exact(&self) -> bool {
        self.share >= 1.0
    }
}

/// The dependencies of at least `share` (0.95, say) between columns that stand in no common group, on the table before slicing. A determinant without two equal values says nothing about
/// dependencies and is left out, as is one that tells no more than the commonest value does.
pub fn dependencies(groups: &ColumnGroups, columns: &[&[u32]], share: f64) -> Vec<Dependency> {
    let pairs: Vec<(usize, usize)> = (0..columns.len())
        .flat_map(|first| (0..columns.len()).map(move |second| (first, second)))
        .filter(|&(first, second)| first != second && groups.together(first, second).is_none())
        .collect();
    pairs
        .into_par_iter()
        .filter_map(|(determinant, dependent)| dependency(columns, determinant, dependent))
        .filter(|found| found.share >= share && found.share > found.without)
        .collect()
}

fn dependency(columns: &[&[u32]], determinant: usize, dependent: usize) -> Option<Dependency> {
    let mut pairs: Vec<(u32, u32)> =
        columns[determinant].iter().copied().zip(columns[dependent].iter().copied()).collect();
    pairs.sort_unstable();
    let by_value = pairs.chunk_by(|a, b| a.0 == b.0);
    let mut values = 0_usize;
    let mut right = 0_u64;
    for rows in by_value {
        values += 1;
        right += u64::from(runs(rows).map(|(_, count)| count).max().unwrap_or(0));
    }
    if values == pairs.len() {
        return None;
    }
    let mut told: Vec<u32> = columns[dependent].to_vec();
    told.sort_unstable();
    let commonest = runs(&told).map(|(_, count)| count).max().unwrap_or(0);
    let rows = pairs.len() as f64;
    Some(Dependency {
        determinant,
        dependent,
        share: right as f64 / rows,
        without: f64::from(commonest) / rows,
        rows_per_value: rows / values as f64,
    })
}
