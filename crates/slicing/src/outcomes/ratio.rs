//! Exact probabilities.

use std::fmt;

/// A non-negative rational number in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    /// `numerator / denominator`; `None` when the denominator is 0.
    pub fn new(numerator: u128, denominator: u128) -> Option<Ratio> {
        let divisor = gcd(numerator, denominator);
        (denominator > 0)
            .then(|| Ratio { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// Sum; `None` when it has too many digits.
    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        let divisor = gcd(self.denominator, other.denominator);
        let (ours, theirs) = (other.denominator / divisor, self.denominator / divisor);
        let numerator =
            self.numerator.checked_mul(ours)?.checked_add(other.numerator.checked_mul(theirs)?)?;
        Ratio::new(numerator, self.denominator.checked_mul(ours)?)
    }

    /// Product; `None` when it has too many digits.
    pub fn times(self, other: Ratio) -> Option<Ratio> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Ratio::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_exact() {
        let sixth = Ratio::new(1, 6).unwrap();
        let third = Ratio::new(2, 6).unwrap();
        assert_eq!(sixth.plus(third).unwrap().to_string(), "1/2");
        assert_eq!(sixth.times(third).unwrap().to_string(), "1/18");
        assert_eq!(Ratio::ZERO.plus(sixth), Some(sixth));
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::new(1, u128::MAX).unwrap().times(sixth), None);
    }
}
