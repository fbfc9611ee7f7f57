//! Recursive diversity that knows harmless values and values whose absence tells something.

use super::recursive_l_diversity::below;
use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::{Class, Distribution};
use std::cmp::{Ordering, Reverse};

/// Positive-disclosure recursive (c, ℓ)-diversity: values in an allowed set (say, "healthy") may be disclosed.
///
/// Let the most frequent value that is *not* allowed be the y-th most frequent of all. A class holds when there is none, or
/// when `y ≤ ℓ−1` and `r_y < c · Σ_{j≥ℓ} r_j`, or when `y > ℓ−1` and `r_y < c · (Σ_{j=ℓ−1}^{y−1} r_j + Σ_{j>y} r_j)`.
/// Among equally frequent values those not allowed come first. Machanavajjhala et al., TKDD 1(1), 2007.
#[derive(Debug, Clone)]
pub struct PdRecursiveLDiversity {
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// How much more frequent the value may be.
    pub c: Fraction,
    /// Where the tail starts; at least 1.
    pub l: u64,
    /// By value code: whether the value may be disclosed.
    pub allowed: Vec<bool>,
}

impl PdRecursiveLDiversity {
    /// `r_y` and the sum it is compared with; `None` when every value of the class is allowed.
    fn sides(&self, distribution: &Distribution<'_>) -> Option<(u64, u64)> {
        let mut ranked: Vec<(Reverse<u64>, bool)> = distribution
            .present
            .iter()
            .map(|&value| {
                let allowed = self.allowed.get(value as usize).copied().unwrap_or(false);
                (Reverse(u64::from(distribution.dense[value as usize])), allowed)
            })
            .collect();
        ranked.sort_unstable();
        let y = ranked.iter().position(|&(_, allowed)| !allowed)? + 1;
        let l = usize::try_from(self.l).unwrap_or(usize::MAX);
        let first_in_tail = if y <= l.saturating_sub(1) { l } else { l.saturating_sub(1).max(1) };
        let tail = ranked.iter().enumerate().map(|(i, &(Reverse(count), _))| (i + 1, count));
        let sum = tail.filter(|&(j, _)| j >= first_in_tail && j != y).map(|(_, count)| count).sum();
        Some((ranked[y - 1].0.0, sum))
    }
}

impl ClassCriterion for PdRecursiveLDiversity {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        false
    }

    // A class of allowed values only passes whatever its size.
    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        match self.sides(&class.distributions[self.sensitive]) {
            None => true,
            Some((count, tail)) => below(count, self.c, tail),
        }
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let ratio = match self.sides(&class.distributions[self.sensitive]) {
            None => 0.0,
            Some((count, tail)) => count as f64 / tail as f64,
        };
        achieved.at_most("c", ratio);
    }
}

/// Negative/positive-disclosure recursive (c, c₂, ℓ)-diversity: pd-recursive, and every protected value occurs in at
/// least `c₂` percent of the rows of every class, so that nobody is known *not* to have it.
#[derive(Debug, Clone)]
pub struct NpdRecursiveLDiversity {
    /// The positive half.
    pub positive: PdRecursiveLDiversity,
    /// Percent of the rows of a class.
    pub c2: Fraction,
    /// Codes of the values that must not be ruled out. A code outside the table's values never occurs, so it fails.
    pub protected: Vec<u32>,
}

impl NpdRecursiveLDiversity {
    fn count(distribution: &Distribution<'_>, value: u32) -> u64 {
        distribution.dense.get(value as usize).copied().map_or(0, u64::from)
    }
}

impl ClassCriterion for NpdRecursiveLDiversity {
    fn needs(&self) -> Needs {
        self.positive.needs()
    }

    fn is_monotone(&self, _: Suppression) -> bool {
        false
    }

    fn implied_class_size(&self) -> u64 {
        1
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let distribution = &class.distributions[self.positive.sensitive];
        let often_enough = |&value: &u32| {
            let percent = 100 * u128::from(Self::count(distribution, value));
            self.c2.compare_with(percent, u128::from(distribution.total.max(1))) != Ordering::Less
        };
        self.positive.holds(class) && self.protected.iter().all(often_enough)
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        self.positive.gauge(class, achieved);
        let distribution = &class.distributions[self.positive.sensitive];
        for &value in &self.protected {
            achieved
                .at_least("c2", 100.0 * Self::count(distribution, value) as f64 / distribution.total as f64);
        }
    }
}
