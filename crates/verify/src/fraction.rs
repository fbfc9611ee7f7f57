//! Exact fractions of counts.

use std::cmp::Ordering;

use num_bigint::BigInt;

use crate::decimal::Decimal;

/// A quotient of two counts, not negative. A zero denominator stands for infinity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction {
    pub(crate) numerator: u128,
    pub(crate) denominator: u128,
}

impl Fraction {
    pub(crate) fn new(numerator: u128, denominator: u128) -> Fraction {
        if denominator == 0 {
            Fraction { numerator: 1, denominator: 0 }
        } else {
            Fraction { numerator, denominator }
        }
    }

    pub(crate) fn is_infinite(self) -> bool {
        self.denominator == 0
    }

    /// Exact comparison with a threshold.
    pub(crate) fn cmp_decimal(self, threshold: &Decimal) -> Ordering {
        if self.is_infinite() {
            return Ordering::Greater;
        }
        // Almost every threshold and count is short.
        if let Some((numerator, denominator)) = threshold.short_fraction()
            && let Some(left) = self.numerator.checked_mul(denominator)
            && let Some(right) = self.denominator.checked_mul(numerator)
        {
            return left.cmp(&right);
        }
        let (numerator, denominator) = threshold.fraction();
        (BigInt::from(self.numerator) * denominator).cmp(&(numerator * BigInt::from(self.denominator)))
    }

    /// The nearest double but for a few units in the last place.
    pub(crate) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        let left = self.numerator.checked_mul(other.denominator);
        let right = other.numerator.checked_mul(self.denominator);
        match (left, right) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => (BigInt::from(self.numerator) * BigInt::from(other.denominator))
                .cmp(&(BigInt::from(other.numerator) * BigInt::from(self.denominator))),
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_tenths_is_not_above_0_3() {
        let t = Decimal::parse("0.3").unwrap();
        assert_eq!(Fraction::new(3, 10).cmp_decimal(&t), Ordering::Equal);
        assert_eq!(Fraction::new(3 << 100, 10 << 100).cmp_decimal(&t), Ordering::Equal);
        assert_eq!(Fraction::new(1, 0).cmp_decimal(&t), Ordering::Greater);
        assert_eq!(Fraction::new(0, 1).cmp_decimal(&Decimal::parse("-0.3").unwrap()), Ordering::Greater);
    }

    #[test]
    fn large_fractions_compare_without_overflow() {
        let big = u128::MAX / 2;
        assert!(Fraction::new(big, big - 1) > Fraction::new(big - 1, big));
        assert_eq!(Fraction::new(2, 4), Fraction::new(1 << 126, 1 << 127));
        assert!(Fraction::new(1, 0) > Fraction::new(big, 1));
    }
}
