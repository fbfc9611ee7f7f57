//! Coded columns: how much two of them say about each other.

use rayon::prelude::*;

use super::{Comparison, Fate, fate};
use crate::groups::ColumnGroups;

/// Two columns before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedPair {
    /// The columns, as positions in [`ColumnGroups::columns`], ascending.
    pub columns: (usize, usize),
    /// Do they share a group?
    pub fate: Fate,
    /// Cramér's V, from 0 (independent) to 1 (one tells the other): `√(χ² / (n · (min(values) − 1)))`; `None` when a column has fewer than two values.
    pub cramers_v: Comparison<Option<f64>>,
    /// Mutual information in bits: `Σ n_ab/n · log₂(n · n_ab / (n_a · n_b))`.
    pub mutual_information: Comparison<f64>,
}

/// The figures of every two columns, in the order of columns. `before` has the columns of [`ColumnGroups::columns`], `after` those of [`ColumnGroups::released`].
pub fn coded_pairs(groups: &ColumnGroups, before: &[&[u32]], after: &[&[u32]]) -> Vec<CodedPair> {
    let pairs: Vec<(usize, usize)> = (0..before.len())
        .flat_map(|first| (first + 1..before.len()).map(move |second| (first, second)))
        .collect();
    let one = |(first, second)| {
        let (fate, first_after, second_after) = fate(groups, first, second);
        let old = association(before[first], before[second]);
        let new = association(after[first_after], after[second_after]);
        CodedPair {
            columns: (first, second),
            fate,
            cramers_v: Comparison { before: old.0, after: new.0 },
            mutual_information: Comparison { before: old.1, after: new.1 },
        }
    };
    pairs.into_par_iter().map(one).collect()
}

/// Cramér's V and the mutual information of two columns of codes.
pub fn association(first: &[u32], second: &[u32]) -> (Option<f64>, f64) {
    let mut pairs: Vec<(u32, u32)> = first.iter().copied().zip(second.iter().copied()).collect();
    pairs.sort_unstable();
    let (ours, theirs) = (Counts::of(first), Counts::of(second));
    let rows = pairs.len() as f64;
    let (mut chi_square_and_one, mut information) = (0.0, 0.0);
    for run in pairs.chunk_by(|a, b| a == b) {
        let together = run.len() as f64;
        let apart = ours.get(run[0].0) * theirs.get(run[0].1);
        chi_square_and_one += together * together / apart;
        information += together / rows * (rows * together / apart).log2();
    }
    let smaller = ours.0.len().min(theirs.0.len());
    // χ² = n (Σ n_ab² / (n_a n_b) − 1), so V² = (Σ − 1) / (min − 1).
    let v =
        (smaller > 1).then(|| ((chi_square_and_one - 1.0).max(0.0) / (smaller - 1) as f64).sqrt().min(1.0));
    (v, if pairs.is_empty() { 0.0 } else { information.max(0.0) })
}

/// How many rows each code has, by code.
struct Counts(Vec<(u32, f64)>);

impl Counts {
    fn of(codes: &[u32]) -> Counts {
        let mut sorted = codes.to_vec();
        sorted.sort_unstable();
        Counts(sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)).collect())
    }

    fn get(&self, code: u32) -> f64 {
        self.0.binary_search_by_key(&code, |entry| entry.0).map_or(0.0, |place| self.0[place].1)
    }
}
