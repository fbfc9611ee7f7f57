//! Recursive (c, ℓ)-diversity.

use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::Class;
use std::cmp::Ordering;

/// The most frequent sensitive value does not occur too often, even after the next ones are ruled out.
///
/// With counts `r_1 ≥ r_2 ≥ …` a class holds when `r_1 < c · (r_ℓ + r_{ℓ+1} + …)`, strictly. Fewer than ℓ values make the
/// right side 0. Larger `c` is weaker. Machanavajjhala et al., TKDD 1(1), 2007.
#[derive(Debug, Clone, Copy)]
pub struct RecursiveLDiversity {
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// How much more frequent the first value may be.
    pub c: Fraction,
    /// Where the tail starts; at least 1.
    pub l: u64,
}

impl ClassCriterion for RecursiveLDiversity {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn implied_class_size(&self) -> u64 {
        self.l
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let distribution = &class.distributions[self.sensitive];
        if (distribution.distinct() as u64) < self.l {
            return false;
        }
        let (first, tail) = first_and_tail(&distribution.descending_counts(), self.l);
        below(first, self.c, tail)
    }

    // No subset that holds has a count above `M`, the largest cap with `M < c · (r_ℓ + …)` after all counts are capped at `M`: the
    // tail of a subset is at most that of the capped counts, and a higher cap only weighs more against its tail.
    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        let counts = class.distributions[self.sensitive].descending_counts();
        let start = usize::try_from(self.l.saturating_sub(1)).unwrap_or(usize::MAX);
        let tail = counts.get(start..).unwrap_or(&[]);
        let (mut low, mut high) = (0, counts.first().copied().unwrap_or(0));
        while low < high {
            let cap = high - (high - low) / 2;
            if below(cap, self.c, sum_capped(tail, cap)) { low = cap } else { high = cap - 1 }
        }
        class.rows - sum_capped(&counts, low)
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let (first, tail) = first_and_tail(&class.distributions[self.sensitive].descending_counts(), self.l);
        achieved.at_most("c", first as f64 / tail as f64);
    }
}

/// `r_1` and `r_ℓ + r_{ℓ+1} + …` of counts in descending order.
pub(super) fn first_and_tail(descending: &[u64], l: u64) -> (u64, u64) {
    let start = usize::try_from(l.saturating_sub(1)).unwrap_or(usize::MAX);
    (descending.first().copied().unwrap_or(0), descending.iter().skip(start).sum())
}

/// The sum of the counts, each at most `cap`.
pub(super) fn sum_capped(counts: &[u64], cap: u64) -> u64 {
    counts.iter().map(|&count| count.min(cap)).sum()
}

/// `count < c · tail`, exactly.
pub(super) fn below(count: u64, c: Fraction, tail: u64) -> bool {
    tail > 0 && c.compare_with(u128::from(count), u128::from(tail)) == Ordering::Less
}
