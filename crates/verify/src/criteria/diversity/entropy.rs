//! The values of every class are spread as if ℓ of them were equally frequent.
//!
//! Holds when `−Σ p ln p ≥ ln ℓ`, that is when the effective number `exp(H) ≥ ℓ`. With counts r of sum n and ℓ = a/b
//! this is `n^n · b^n ≥ a^n · Π r^r` in whole numbers, and dividing all counts by a common divisor changes nothing.
//! Doubles decide when the difference is larger than their error; only near-ties are counted out.

use num_bigint::BigUint;

use super::super::{ClassCriterion, Failures, Finding, Measure};
use crate::classes::Group;
use crate::decimal::Decimal;
use crate::fraction::Fraction;

/// Bits that all exact comparisons of one criterion may need together. Beyond it a tie counts as a violation.
const BUDGET: u64 = 1 << 25;

pub(super) struct Entropy {
    l: Decimal,
    /// ln ℓ
    goal: f64,
    least: Option<f64>,
    failures: Failures,
    undecided: Failures,
    budget: u64,
}

impl Entropy {
    pub(super) fn new(l: Decimal) -> Entropy {
        let goal = l.to_f64().max(f64::MIN_POSITIVE).ln();
        Entropy {
            l,
            goal,
            least: None,
            failures: Failures::default(),
            undecided: Failures::default(),
            budget: BUDGET,
        }
    }

    /// `None` when doubles cannot tell and the whole numbers would be too long.
    fn holds(&mut self, entropy: f64, group: &Group<'_>) -> Option<bool> {
        let goal = self.goal;
        // Each of the d terms is off by a few units in the last place of at most ln n, and so is the sum of them.
        let distinct = group.counts.len() as f64;
        let error = (distinct + 16.0) * f64::EPSILON * ((group.size as f64).ln() + goal.abs() + 1.0);
        if (entropy - goal).abs() > error {
            return Some(entropy > goal);
        }
        match group.counts.split_first() {
            // The most common tie: with equal counts the effective number is the number of values.
            Some((first, others)) if others.iter().all(|other| other.1 == first.1) => {
                Some(Fraction::new(group.counts.len() as u128, 1).cmp_decimal(&self.l).is_ge())
            }
            _ => self.holds_exactly(group.counts),
        }
    }

    fn holds_exactly(&mut self, counts: &[(u32, u64)]) -> Option<bool> {
        let divisor =
            counts.iter().fold(0, |divisor, &(_, count)| greatest_common_divisor(divisor, count)).max(1);
        let reduced = || counts.iter().map(|&(_, count)| count / divisor);
        let n: u64 = reduced().sum();
        let (a, b) = self.l.fraction();
        let (Some(a), Some(b)) = (a.to_biguint(), b.to_biguint()) else { return Some(true) };
        let bits = n.checked_mul(u64::from(u64::BITS - n.leading_zeros()) + a.bits() + b.bits())?;
        self.budget = self.budget.checked_sub(bits)?;
        let power =
            |base: BigUint, exponent: u64| u32::try_from(exponent).ok().map(|exponent| base.pow(exponent));
        let left = power(BigUint::from(n) * b, n)?;
        let mut factors = vec![power(a, n)?];
        for count in reduced().filter(|&count| count > 1) {
            factors.push(power(BigUint::from(count), count)?);
        }
        Some(left >= product(factors))
    }
}

/// `H = ln n − (1/n) Σ r ln r`.
fn entropy(group: &Group<'_>) -> f64 {
    let n = group.size as f64;
    let sum: f64 = group.counts.iter().map(|&(_, count)| count as f64 * (count as f64).ln()).sum();
    n.ln() - sum / n
}

/// Neighbours first: products of numbers of about the same length are the cheap ones.
fn product(mut factors: Vec<BigUint>) -> BigUint {
    while factors.len() > 1 {
        factors = factors.chunks(2).map(|pair| pair.iter().product()).collect();
    }
    factors.pop().unwrap_or_default()
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl ClassCriterion for Entropy {
    fn take(&mut self, group: &Group<'_>) {
        if group.counts.is_empty() {
            // No value, no diversity.
            self.least = Some(0.0);
            self.failures.add(group.first_row);
            return;
        }
        let entropy = entropy(group);
        let effective = entropy.exp();
        self.least = Some(self.least.map_or(effective, |least| least.min(effective)));
        match self.holds(entropy, group) {
            Some(true) => {}
            Some(false) => self.failures.add(group.first_row),
            None => self.undecided.add(group.first_row),
        }
    }

    fn finding(&self) -> Finding {
        let too_low = self.failures.problem(&format!("with an effective number of values below {}", self.l));
        let unclear = self.undecided.problem("too close to the threshold to be decided");
        Finding {
            problems: too_low.into_iter().chain(unclear).collect(),
            fine: format!("every class has an effective number of values of {} or more", self.l),
            achieved: vec![("l", self.least.map_or(Measure::Nothing, Measure::real))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{achieved, decimal, holds, take};
    use super::*;

    fn entropy_of(l: &str) -> Entropy {
        Entropy::new(decimal(l))
    }

    #[test]
    fn effective_numbers_of_known_classes() {
        for (counts, effective) in [
            (&[3, 1][..], 1.754765),
            (&[1, 1], 2.0),
            (&[2], 1.0),
            (&[2, 1], 1.889882),
            (&[10], 1.0),
            (&[3, 12], 1.649385),
            (&[1, 1, 2], 2.828427),
        ] {
            let mut criterion = entropy_of("1");
            take(&mut criterion, counts);
            assert!((achieved(&criterion, "l") - effective).abs() < 1e-6);
            assert!(criterion.finding().problems.is_empty());
        }
    }

    #[test]
    fn suppression_can_undo_a_coarser_table() {
        assert!(holds(entropy_of("1.8"), &[2, 1]) && holds(entropy_of("1.8"), &[1, 1]));
        assert!(!holds(entropy_of("1.8"), &[10]) && !holds(entropy_of("1.8"), &[3, 12]));
    }

    #[test]
    fn ties_are_counted_out() {
        for values in 1..60u64 {
            for rows in [1, 3, 7, 20_000] {
                let counts = vec![rows; values as usize];
                assert!(holds(entropy_of(&values.to_string()), &counts));
                assert!(!holds(entropy_of(&format!("{values}.00000000000000000000000000001")), &counts));
            }
        }
        // 3 / 4^(1/3) = 1.88988157484230974…
        assert!(holds(entropy_of("1.8898815748423097"), &[2, 1]));
        assert!(!holds(entropy_of("1.8898815748423098"), &[2, 1]));
    }

    #[test]
    fn long_ties_are_counted_out_in_one_product() {
        assert_eq!(
            product((1..=20u32).map(BigUint::from).collect()),
            BigUint::from(2_432_902_008_176_640_000u64)
        );
        // exp(H) of (1001, 999) is 1.99999900000008…
        assert!(holds(entropy_of("1.999999"), &[1001, 999]) && !holds(entropy_of("2"), &[1001, 999]));
    }

    #[test]
    fn a_tie_too_long_to_count_out_is_a_violation() {
        let mut poor = entropy_of("1.88988157484230974715");
        poor.budget = 1;
        take(&mut poor, &[2, 1]);
        assert_eq!(
            poor.finding().problems,
            ["1 class too close to the threshold to be decided, first the class of row 1"]
        );
        assert!(holds(entropy_of("1.88988157484230974715"), &[2, 1]));
    }
}
