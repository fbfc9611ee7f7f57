//! The most frequent value is not too frequent, nor are the rare ones too rare.
//!
//! With counts `r_1 ≥ r_2 ≥ … ≥ r_d` recursive (c, ℓ)-diversity holds when `r_1 < c · (r_ℓ + … + r_d)`, strictly.
//! With fewer than ℓ values the right side is 0 and the class fails.

use std::cmp::Ordering;

use super::super::{ClassCriterion, Failures, Finding, Measure};
use crate::classes::Group;
use crate::decimal::Decimal;
use crate::fraction::Fraction;

pub(super) struct Recursive {
    l: usize,
    bound: Bound,
}

impl Recursive {
    pub(super) fn new(c: Decimal, l: u64) -> Recursive {
        Recursive { l: usize::try_from(l).unwrap_or(usize::MAX).max(1), bound: Bound::new(c) }
    }
}

impl ClassCriterion for Recursive {
    fn take(&mut self, group: &Group<'_>) {
        let mut counts: Vec<u64> = group.counts.iter().map(|&(_, count)| count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let tail: u64 = counts.iter().skip(self.l - 1).sum();
        self.bound.take(counts.first().copied().unwrap_or(0), tail, group.first_row);
    }

    fn finding(&self) -> Finding {
        self.bound.finding()
    }
}

/// `frequent < c · rest` for every class, and the smallest c that would do (as an infimum).
pub(super) struct Bound {
    c: Decimal,
    greatest: Option<Fraction>,
    failures: Failures,
}

impl Bound {
    pub(super) fn new(c: Decimal) -> Bound {
        Bound { c, greatest: None, failures: Failures::default() }
    }

    pub(super) fn take(&mut self, frequent: u64, rest: u64, first_row: usize) {
        let ratio = Fraction::new(frequent.into(), rest.into());
        self.greatest = Some(self.greatest.map_or(ratio, |greatest| greatest.max(ratio)));
        if ratio.cmp_decimal(&self.c) != Ordering::Less {
            self.failures.add(first_row);
        }
    }

    pub(super) fn finding(&self) -> Finding {
        Finding {
            problems: self.failures.problem(&format!("not diverse for c = {}", self.c)).into_iter().collect(),
            fine: format!("every class is diverse for c = {}", self.c),
            achieved: vec![(
                "c",
                self.greatest.map_or(Measure::Nothing, |greatest| Measure::real(greatest.to_f64())),
            )],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{achieved, decimal, holds, take};
    use super::*;

    fn recursive(c: &str, l: u64) -> Recursive {
        Recursive::new(decimal(c), l)
    }

    #[test]
    fn the_comparison_is_strict() {
        assert!(holds(recursive("4", 2), &[3, 1]));
        assert!(holds(recursive("4", 2), &[1, 1]));
        assert!(!holds(recursive("4", 2), &[2]));
        assert!(!holds(recursive("3", 3), &[6, 2, 1, 1]), "6 < 3·(1+1) is false");
        assert!(holds(recursive("3.0000000000000000000001", 3), &[6, 2, 1, 1]));
    }

    #[test]
    fn suppression_can_undo_a_coarser_table() {
        assert!(holds(recursive("3", 2), &[2, 1]) && holds(recursive("3", 2), &[1, 1]));
        assert!(!holds(recursive("3", 2), &[10]) && !holds(recursive("3", 2), &[3, 12]));
    }

    #[test]
    fn with_l_of_one_the_whole_class_is_the_tail() {
        assert!(holds(recursive("1.5", 1), &[4]) && !holds(recursive("1", 1), &[4]));
    }

    #[test]
    fn the_achieved_c_is_the_worst_ratio() {
        let mut criterion = recursive("10", 2);
        take(&mut criterion, &[3, 2]);
        take(&mut criterion, &[7, 2]);
        assert_eq!(achieved(&criterion, "c"), 3.5);
        take(&mut criterion, &[5]);
        assert_eq!(criterion.finding().achieved, [("c", Measure::Nothing)]);
    }

    #[test]
    fn absurd_parameters_do_no_harm() {
        assert!(!holds(recursive("3", u64::MAX), &[1, 1]));
        assert!(!holds(recursive("-1", 0), &[1, 1]));
    }
}
