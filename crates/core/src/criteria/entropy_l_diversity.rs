//! Entropy ℓ-diversity.

use super::recursive_l_diversity::sum_capped;
use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::{Fraction, gcd};
use crate::grouping::Class;
use num_bigint::BigUint;

/// The entropy of the sensitive values in every class is at least `ln ℓ`.
///
/// Holds when `−Σ p ln p ≥ ln ℓ`, that is when the effective number of values `exp(H)` is at least ℓ.
/// Machanavajjhala et al., TKDD 1(1), 2007.
#[derive(Debug, Clone, Copy)]
pub struct EntropyLDiversity {
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// Smallest effective number of values; at least 1, not necessarily whole.
    pub l: Fraction,
}

impl ClassCriterion for EntropyLDiversity {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.sensitive), ..Needs::default() }
    }

    fn is_monotone(&self, suppression: Suppression) -> bool {
        suppression == Suppression::Forbidden
    }

    fn implied_class_size(&self) -> u64 {
        self.l.ceil()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        effective_number_at_least(class.distributions[self.sensitive].counts(), self.l)
    }

    // Of all subsets of a given size the one with its counts capped alike has the largest entropy, and the lower the cap the larger
    // it is: the rows below the highest cap that still holds are the most that can stay.
    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        let counts = class.distributions[self.sensitive].descending_counts();
        // Slightly too lenient, so that rounding never leaves out a row too many.
        let enough = self.l.to_f64() * (1.0 - 1e-9);
        let (mut low, mut high) = (0, counts.first().copied().unwrap_or(0));
        while low < high {
            let cap = high - (high - low) / 2;
            let capped = counts.iter().map(|&count| count.min(cap)).collect();
            if effective_number(capped) >= enough { low = cap } else { high = cap - 1 }
        }
        // Subsets need not be capped at a whole number.
        if low == 0 { class.rows } else { class.rows - sum_capped(&counts, low + 1) }
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        achieved.at_least("l", effective_number(class.distributions[self.sensitive].descending_counts()));
    }
}

/// `exp(H)` of the distribution with these counts.
pub(super) fn effective_number(counts: Vec<u64>) -> f64 {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return 0.0;
    }
    let n = total as f64;
    (n.ln() - counts.iter().map(|&r| r as f64 * (r as f64).ln()).sum::<f64>() / n).exp()
}

/// Whether `exp(H) ≥ l`, exactly.
///
/// With `n = Σ r`, `exp(H) ≥ l` is `n ln n − Σ r ln r ≥ n ln l`. Doubles decide it outside their error margin;
/// inside it, `n^n ≥ l^n · ∏ r^r` is compared in whole numbers (after dividing the counts by their common
/// divisor, which leaves the distribution as it is and makes uniform classes trivial). A class too large even for
/// that counts as a failure: the safe side.
pub(super) fn effective_number_at_least(counts: impl Iterator<Item = u64> + Clone, l: Fraction) -> bool {
    let total: u64 = counts.clone().sum();
    if total == 0 || l <= Fraction::ONE {
        return total > 0;
    }
    // exp(H) is at most the number of values, and equal to it only if all are equally frequent.
    let distinct = counts.clone().count() as u128;
    match l.compare_with(distinct, 1) {
        std::cmp::Ordering::Less => return false,
        std::cmp::Ordering::Equal => {
            let first = counts.clone().next();
            return counts.into_iter().all(|r| Some(r) == first);
        }
        std::cmp::Ordering::Greater => {}
    }
    let n = total as f64;
    let mut rows = 0.0;
    let mut values = 0u32;
    for r in counts.clone() {
        rows += r as f64 * (r as f64).ln();
        values += 1;
    }
    let difference = n * n.ln() - rows - n * l.to_f64().ln();
    // Each of the `values + 2` terms is at most n·ln n, off by a few units in the last place.
    let margin = (f64::from(values) + 16.0) * n * (n.ln() + 1.0) * f64::EPSILON * 4.0;
    if difference.abs() > margin {
        return difference > 0.0;
    }
    effective_number_at_least_exactly(counts, l)
}

fn effective_number_at_least_exactly(counts: impl Iterator<Item = u64> + Clone, l: Fraction) -> bool {
    const MOST_BITS: u64 = 1 << 26;
    let divisor = counts.clone().fold(0u128, |divisor, r| gcd(divisor, u128::from(r))).max(1) as u64;
    let counts = counts.map(|r| r / divisor);
    let n: u64 = counts.clone().sum();
    let bits = u64::from(64 - n.leading_zeros()) + u64::from(128 - l.denominator().leading_zeros());
    let Some(exponent) = u32::try_from(n).ok().filter(|_| n.saturating_mul(bits) <= MOST_BITS) else {
        return false;
    };
    let left = (BigUint::from(n) * l.denominator()).pow(exponent);
    let mut right = BigUint::from(l.numerator()).pow(exponent);
    for r in counts.filter(|&r| r > 1) {
        right *= BigUint::from(r).pow(r as u32);
    }
    left >= right
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(counts: &[u64], l: &str) -> bool {
        effective_number_at_least(counts.iter().copied(), Fraction::parse(l).unwrap())
    }

    #[test]
    fn uniform_classes_lie_exactly_on_the_threshold() {
        assert!(holds(&[1, 1], "2"));
        assert!(holds(&[333_333, 333_333, 333_333], "3"));
        assert!(!holds(&[333_333, 333_333, 333_334], "3"));
        assert!(!holds(&[1, 1], "2.000000000001"));
    }

    #[test]
    fn published_effective_numbers_are_met() {
        assert!((effective_number(vec![3, 1]) - 1.754765).abs() < 1e-6);
        assert!((effective_number(vec![2, 1]) - 1.889882).abs() < 1e-6);
        assert!((effective_number(vec![12, 3]) - 1.649385).abs() < 1e-6);
        assert!(holds(&[2, 1], "1.8") && !holds(&[12, 3], "1.8"));
    }

    #[test]
    fn entropies_of_the_lecture_table_give_2_83() {
        assert!((effective_number(vec![2, 1, 1]) - 2.828427).abs() < 1e-6);
        assert!((effective_number(vec![2, 1, 1]).log10() - 0.451545).abs() < 1e-6);
        assert!((effective_number(vec![1, 1, 1]).log10() - 0.477121).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn doubles_and_whole_numbers_agree(
            counts in prop::collection::vec(1u64..40, 1..6), tenths in 10u64..60,
        ) {
            let l = Fraction::new(tenths, 10).unwrap();
            prop_assert_eq!(
                effective_number_at_least(counts.iter().copied(), l),
                effective_number_at_least_exactly(counts.iter().copied(), l)
            );
        }
    }
}
