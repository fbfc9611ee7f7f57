//! Positive-disclosure recursive diversity, and no protected value may be ruled out.
//!
//! In addition every value of the protected set W occurs in at least c₂ percent of the rows of every class:
//! `100 · n(E, w) ≥ c₂ · |E|`.

use std::cmp::Ordering;

use foldhash::{HashMap, HashMapExt};

use super::super::{ClassCriterion, Failures, Finding, Measure};
use super::positive_disclosure::PositiveDisclosure;
use crate::classes::Group;
use crate::decimal::Decimal;
use crate::fraction::Fraction;

pub(super) struct NegativeDisclosure {
    positive: PositiveDisclosure,
    c2: Decimal,
    /// How many values are protected.
    protected: usize,
    /// The protected value that a code stands for, if it does. Values that no row shows have no code.
    value_of: HashMap<u32, usize>,
    least: Option<Fraction>,
    failures: Failures,
}

impl NegativeDisclosure {
    /// `protected` has the codes of each protected value.
    pub(super) fn new(
        positive: PositiveDisclosure,
        c2: Decimal,
        protected: &[Vec<u32>],
    ) -> NegativeDisclosure {
        let pairs = protected
            .iter()
            .enumerate()
            .flat_map(|(value, codes)| codes.iter().map(move |&code| (code, value)));
        let (value_of, protected) = (pairs.collect(), protected.len());
        NegativeDisclosure { positive, c2, protected, value_of, least: None, failures: Failures::default() }
    }
}

impl ClassCriterion for NegativeDisclosure {
    fn take(&mut self, group: &Group<'_>) {
        self.positive.take(group);
        if self.protected == 0 {
            return;
        }
        let mut shown: HashMap<usize, u64> = HashMap::new();
        for (code, count) in group.counts {
            if let Some(&value) = self.value_of.get(code) {
                *shown.entry(value).or_default() += count;
            }
        }
        // The rarest protected value decides; one that the class does not show at all is as rare as can be.
        let rarest = if shown.len() < self.protected { 0 } else { shown.into_values().min().unwrap_or(0) };
        let percent = Fraction::new(100 * u128::from(rarest), group.size.into());
        self.least = Some(self.least.map_or(percent, |least| least.min(percent)));
        if percent.cmp_decimal(&self.c2) == Ordering::Less {
            self.failures.add(group.first_row);
        }
    }

    fn finding(&self) -> Finding {
        let mut finding = self.positive.finding();
        let rare = format!("with a protected value in fewer than {} percent of the rows", self.c2);
        finding.problems.extend(self.failures.problem(&rare));
        let least = self.least.map_or(Measure::Nothing, |least| Measure::real(least.to_f64()));
        finding.achieved.push(("c2", least));
        finding
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{achieved, decimal, holds, take};
    use super::*;

    /// healthy (code 1) may be disclosed, hiv (code 4) must not be ruled out.
    fn negative(c2: &str) -> NegativeDisclosure {
        let positive = PositiveDisclosure::new(decimal("3"), 3, vec![1]);
        NegativeDisclosure::new(positive, decimal(c2), &[vec![4]])
    }

    #[test]
    fn protected_values_must_not_be_rare() {
        assert!(holds(negative("10"), &[6, 2, 1, 1]));
        assert!(!holds(negative("15"), &[6, 2, 1, 1]));
        assert!(!holds(negative("1"), &[2, 2, 2]), "a class without the value rules it out");
        let positive = PositiveDisclosure::new(decimal("3"), 3, vec![1]);
        let nowhere = NegativeDisclosure::new(positive, decimal("10"), &[vec![]]);
        assert!(!holds(nowhere, &[6, 2, 1, 1]), "a value that no row shows is ruled out everywhere");
        let mut criterion = negative("10");
        take(&mut criterion, &[6, 2, 1, 1]);
        assert_eq!(achieved(&criterion, "c2"), 10.0);
    }
}
