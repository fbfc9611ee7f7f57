//! Are there enough sensitive values in every bucket?

use rayon::prelude::*;

use super::{Sliced, numbered};

/// Distinct sensitive values per bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diversity {
    /// The fewest distinct values of a bucket: the ℓ that holds.
    pub least: usize,
    /// Buckets with fewer than were asked for.
    pub buckets_below: usize,
    /// Rows in these buckets.
    pub rows_below: usize,
    /// All buckets.
    pub buckets: usize,
}

/// Distinct ℓ-diversity of buckets: each must show at least `l` different values of the sensitive columns taken together. Slicing keeps the bags, so before and after are equal.
///
/// Li et al. 2012 ask it of the group with the sensitive column: whoever finds a person's bucket must not find a single value there.
pub fn diversity(table: Sliced<'_>, sensitive: &[usize], l: usize) -> Diversity {
    let columns: Vec<&[u32]> = table.pick(sensitive);
    let distinct: Vec<usize> = (0..table.layout.buckets())
        .into_par_iter()
        .map(|bucket| numbered(&columns, table.layout.bucket(bucket)).1)
        .collect();
    let below = || (0..distinct.len()).filter(|&bucket| distinct[bucket] < l);
    Diversity {
        least: distinct.iter().copied().min().unwrap_or(0),
        buckets_below: below().count(),
        rows_below: below().map(|bucket| table.layout.bucket(bucket).len()).sum(),
        buckets: distinct.len(),
    }
}
