//! Recursive diversity where some values may be disclosed ("healthy").
//!
//! Let the most frequent value outside the allowed set Y be the y-th most frequent of the class. The class passes when
//! there is no such value, or
//! (a) `y ≤ ℓ−1` and `r_y < c · Σ_{j≥ℓ} r_j`, or (b) `y > ℓ−1` and `r_y < c · (Σ_{j=ℓ−1}^{y−1} r_j + Σ_{j>y} r_j)`.
//! Among equally frequent values those outside Y come first, so y is as small as possible.

use super::super::{ClassCriterion, Finding};
use super::recursive::Bound;
use crate::classes::Group;
use crate::decimal::Decimal;

pub(super) struct PositiveDisclosure {
    l: usize,
    /// Codes of the values that may be disclosed, sorted.
    allowed: Vec<u32>,
    bound: Bound,
}

impl PositiveDisclosure {
    pub(super) fn new(c: Decimal, l: u64, mut allowed: Vec<u32>) -> PositiveDisclosure {
        allowed.sort_unstable();
        PositiveDisclosure {
            l: usize::try_from(l).unwrap_or(usize::MAX).max(1),
            allowed,
            bound: Bound::new(c),
        }
    }

    fn is_allowed(&self, code: u32) -> bool {
        self.allowed.binary_search(&code).is_ok()
    }
}

impl ClassCriterion for PositiveDisclosure {
    fn take(&mut self, group: &Group<'_>) {
        let mut counts: Vec<(u64, bool)> =
            group.counts.iter().map(|&(code, count)| (count, self.is_allowed(code))).collect();
        counts.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some(at) = counts.iter().position(|&(_, allowed)| !allowed) else { return };
        let sum = |part: &[(u64, bool)]| part.iter().map(|&(count, _)| count).sum::<u64>();
        let y = at + 1;
        let rest = if y < self.l {
            sum(counts.get(self.l - 1..).unwrap_or(&[]))
        } else {
            // r_0 does not exist, so with ℓ = 1 the sum starts at r_1.
            sum(&counts[self.l.saturating_sub(2).min(at)..at]) + sum(&counts[y..])
        };
        self.bound.take(counts[at].0, rest, group.first_row);
    }

    fn finding(&self) -> Finding {
        self.bound.finding()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decimal, holds};
    use super::*;

    /// Codes start at 1; `allowed` lists them.
    fn positive(c: &str, l: u64, allowed: &[u32]) -> PositiveDisclosure {
        PositiveDisclosure::new(decimal(c), l, allowed.to_vec())
    }

    #[test]
    fn harmless_values_may_be_frequent() {
        let counts = [6, 2, 1, 1]; // healthy, flu, cancer, hiv
        assert!(holds(positive("3", 3, &[1]), &counts), "2 < 3·(1+1)");
        assert!(!holds(positive("3", 3, &[]), &counts), "without the allowance it is plain recursive: 6 < 6");
    }

    #[test]
    fn behind_l_the_values_before_y_count_too() {
        let counts = [5, 4, 3, 1]; // a, b, flu, hiv
        assert!(holds(positive("1", 3, &[1, 2]), &counts), "3 < 4+1");
        assert!(!holds(positive("0.5", 3, &[1, 2]), &counts), "3 < 2.5 is false");
    }

    #[test]
    fn a_class_of_allowed_values_passes() {
        let mut criterion = positive("1", 2, &[1]);
        super::super::testing::take(&mut criterion, &[4]);
        assert!(criterion.finding().problems.is_empty());
        assert_eq!(criterion.finding().achieved, [("c", super::super::super::Measure::Nothing)]);
    }

    #[test]
    fn ties_go_to_the_value_outside_the_allowed_set() {
        // Code 2 is as frequent as the allowed code 1, so y = 1 and the tail starts at r_2.
        assert!(!holds(positive("1", 2, &[1]), &[3, 3]));
        assert!(holds(positive("1.01", 2, &[1]), &[3, 3]));
    }
}
