//! Was there a permutation at all, and one per group?
//!
//! Given what each group holds in a bucket, a uniform permutation leads to the pairs with frequencies `n_ab` with the probability
//! `∏ n_a! · ∏ n_b! / (n! · ∏ n_ab!)`. When pairs came out exactly as they were, or sorted, although that probability is below one in a thousand million, it was no such
//! permutation: the engine dropped it, two groups shared one, or they were sorted instead.

use rayon::prelude::*;

use super::{Sliced, frequencies, numbered, runs};
use crate::groups::ColumnGroups;

/// What a pair of groups looks like although chance makes it all but impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The rows of both groups stand together as before.
    Unchanged,
    /// The higher in one group, the higher (or the lower) in the other: both were sorted.
    Sorted,
}

/// A fault that two groups show.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// Numbers of the two groups, from 1.
    pub groups: (usize, usize),
    /// What they show.
    pub fault: Fault,
    /// In how many buckets.
    pub buckets: usize,
    /// The natural logarithm of the probability that chance did it, in the least likely bucket.
    pub log_probability: f64,
}

/// Results of this probability or less are no chance: ln 10⁻⁹.
const NO_CHANCE: f64 = -20.723_265_836_946_41;

/// Pairs of groups that do not look permuted in some buckets. Buckets too small or too uniform to tell are silent. Needs tables that keep the [invariants](super::invariants).
pub fn suspicions(groups: &ColumnGroups, before: Sliced<'_>, after: Sliced<'_>) -> Vec<Suspicion> {
    let released = groups.released_groups();
    let mut found = Vec::new();
    for first in 0..groups.len() {
        for second in first + 1..groups.len() {
            let (ours, theirs) = (&released[first], &released[second]);
            let faults: Vec<(Fault, f64)> = (0..before.layout.buckets())
                .into_par_iter()
                .filter_map(|bucket| {
                    let old = Pairs::of(&before, bucket, &groups.groups()[first], &groups.groups()[second]);
                    let new = Pairs::of(&after, bucket, ours, theirs);
                    let log_probability = new.log_probability();
                    if log_probability > NO_CHANCE {
                        return None;
                    }
                    let fault = if old.pairs == new.pairs {
                        Fault::Unchanged
                    } else if new.is_sorted() {
                        Fault::Sorted
                    } else {
                        return None;
                    };
                    Some((fault, log_probability))
                })
                .collect();
            for fault in [Fault::Unchanged, Fault::Sorted] {
                let hits: Vec<f64> = faults.iter().filter(|hit| hit.0 == fault).map(|hit| hit.1).collect();
                if !hits.is_empty() {
                    found.push(Suspicion {
                        groups: (first + 1, second + 1),
                        fault,
                        buckets: hits.len(),
                        log_probability: hits.iter().copied().fold(f64::INFINITY, f64::min),
                    });
                }
            }
        }
    }
    found
}

/// The rows of two groups in a bucket, each numbered in the order of its values.
struct Pairs {
    pairs: Vec<(u32, u32)>,
    first: Vec<u32>,
    second: Vec<u32>,
}

impl Pairs {
    fn of(table: &Sliced<'_>, bucket: usize, first: &[usize], second: &[usize]) -> Pairs {
        let rows = table.layout.bucket(bucket);
        let (ours, our_count) = numbered(&table.pick(first), rows);
        let (theirs, their_count) = numbered(&table.pick(second), rows);
        let mut pairs: Vec<(u32, u32)> = ours.iter().copied().zip(theirs.iter().copied()).collect();
        pairs.sort_unstable();
        Pairs { pairs, first: frequencies(&ours, our_count), second: frequencies(&theirs, their_count) }
    }

    fn log_probability(&self) -> f64 {
        let all = |counts: &[u32]| counts.iter().map(|&count| log_factorial(count)).sum::<f64>();
        let together: f64 = runs(&self.pairs).map(|(_, count)| log_factorial(count)).sum();
        all(&self.first) + all(&self.second) - log_factorial(self.pairs.len() as u32) - together
    }

    fn is_sorted(&self) -> bool {
        // Sorted by the first group; ties may stand in any order, so each run is looked at as a range.
        let ranges: Vec<(u32, u32)> =
            self.pairs.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].1, run[run.len() - 1].1)).collect();
        ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0)
            || ranges.windows(2).all(|pair| pair[0].0 >= pair[1].1)
    }
}

/// ln n!, exact to about 12 digits: summed up to 255, then Stirling's series.
fn log_factorial(n: u32) -> f64 {
    if n < 256 {
        return (2..=n).map(|factor| f64::from(factor).ln()).sum();
    }
    let n = f64::from(n);
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::log_factorial;

    #[test]
    fn factorials_agree_where_the_formulas_meet() {
        let summed: f64 = (2..=300).map(|factor| f64::from(factor).ln()).sum();
        assert!((log_factorial(300) - summed).abs() < 1e-9);
        assert!((log_factorial(5) - 120_f64.ln()).abs() < 1e-12);
        assert_eq!(log_factorial(0), 0.0);
    }
}
