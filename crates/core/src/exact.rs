//! Fractions for thresholds, so that "exactly at the limit" means what it says.
//!
//! A class that lies exactly at t = 0.3 passes; in binary floating point it would not (0.30000000000000004).

use std::cmp::Ordering;
use std::fmt;

/// A non-negative rational number, in lowest terms: the value of a threshold as the user wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

/// Why a text is not a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a decimal number of at least 0 with at most {DIGITS} digits before and {DIGITS} after the point"
)]
pub struct NotAFraction;

const DIGITS: usize = 12;

impl Fraction {
    /// Zero.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// `numerator / denominator`; `None` when the denominator is 0.
    pub fn new(numerator: u64, denominator: u64) -> Option<Fraction> {
        (denominator > 0).then(|| Fraction::reduced(u128::from(numerator), u128::from(denominator)))
    }

    /// Reads a plain decimal such as `0.3` or `12`, without rounding.
    pub fn parse(text: &str) -> Result<Fraction, NotAFraction> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.len() <= DIGITS && s.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && part.is_empty()) || !digits(whole) || !digits(part) {
            return Err(NotAFraction);
        }
        let mut numerator: u128 = 0;
        for digit in whole.bytes().chain(part.bytes()) {
            numerator = numerator * 10 + u128::from(digit - b'0');
        }
        Ok(Fraction::reduced(numerator, 10u128.pow(part.len() as u32)))
    }

    /// `numerator / denominator` with terms of up to 128 bits; `None` when the denominator is 0.
    pub fn of_terms(numerator: u128, denominator: u128) -> Option<Fraction> {
        (denominator > 0).then(|| Fraction::reduced(numerator, denominator))
    }

    /// `self · other`, exactly; `None` where the terms no longer fit into 128 bits.
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        let left = Fraction::reduced(self.numerator, other.denominator);
        let right = Fraction::reduced(other.numerator, self.denominator);
        let numerator = left.numerator.checked_mul(right.numerator)?;
        Some(Fraction { numerator, denominator: left.denominator.checked_mul(right.denominator)? })
    }

    /// `self + other`, exactly; `None` where the terms no longer fit into 128 bits.
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        let shared = gcd(self.denominator, other.denominator).max(1);
        let (left, right) = (self.denominator / shared, other.denominator / shared);
        let numerator = self.numerator.checked_mul(right)?.checked_add(other.numerator.checked_mul(left)?)?;
        Some(Fraction::reduced(numerator, self.denominator.checked_mul(right)?))
    }

    /// `1 − self`, exactly; `None` above 1.
    pub fn complement(self) -> Option<Fraction> {
        let numerator = self.denominator.checked_sub(self.numerator)?;
        Some(Fraction { numerator, denominator: self.denominator })
    }

    fn reduced(numerator: u128, denominator: u128) -> Fraction {
        let divisor = gcd(numerator, denominator).max(1);
        Fraction { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The numerator in lowest terms.
    pub fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator in lowest terms.
    pub fn denominator(self) -> u128 {
        self.denominator
    }

    /// `⌊self · n⌋`, exactly.
    pub fn floor_of(self, n: u64) -> u64 {
        let n = u128::from(n);
        // ⌊(q·d + r)·n / d⌋ = q·n + ⌊r·n / d⌋; d is at most 10^12 for parsed numbers, so r·n fits.
        let whole = (self.numerator / self.denominator).saturating_mul(n);
        let part = (self.numerator % self.denominator).saturating_mul(n) / self.denominator;
        u64::try_from(whole.saturating_add(part)).unwrap_or(u64::MAX)
    }

    /// The smallest whole number that is not below this one.
    pub fn ceil(self) -> u64 {
        u64::try_from(self.numerator.div_ceil(self.denominator)).unwrap_or(u64::MAX)
    }

    /// How `a / b` compares with this fraction; `b` must not be 0.
    pub fn compare_with(self, a: u128, b: u128) -> Ordering {
        compare_fractions(a, b, self.numerator, self.denominator)
    }

    /// The nearest double, for reports and for bounds that carry their own error margin.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        compare_fractions(self.numerator, self.denominator, other.numerator, other.denominator)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_f64())
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// Compares `a/b` with `c/d` exactly, whatever the size: one product where it fits, else continued fractions.
fn compare_fractions(mut a: u128, mut b: u128, mut c: u128, mut d: u128) -> Ordering {
    debug_assert!(b > 0 && d > 0);
    let mut reversed = false;
    loop {
        if let (Some(left), Some(right)) = (a.checked_mul(d), c.checked_mul(b)) {
            let order = left.cmp(&right);
            return if reversed { order.reverse() } else { order };
        }
        let (p, q) = (a / b, c / d);
        if p != q {
            let order = p.cmp(&q);
            return if reversed { order.reverse() } else { order };
        }
        // a/b = p + r/b and c/d = p + s/d: compare r/b with s/d, that is d/s with b/r the other way round.
        let (r, s) = (a % b, c % d);
        if r == 0 || s == 0 {
            let order = (r > 0).cmp(&(s > 0));
            return if reversed { order.reverse() } else { order };
        }
        (a, b, c, d) = (b, r, d, s);
        reversed = !reversed;
    }
}

/// Greatest common divisor; `gcd(0, n) = n`.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// log2 of a whole number, 0 for 0 and 1, by additions, multiplications and divisions alone: the same bits on every machine, which
/// logarithms of the system's library are not. Powers of two are exact, all others right to a few units of the last place.
pub(crate) fn log2(number: u64) -> f64 {
    let whole = number.max(1).ilog2();
    let mut mantissa = number.max(1) as f64 / (1u64 << whole) as f64;
    let mut exponent = f64::from(whole);
    if mantissa > std::f64::consts::SQRT_2 {
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1.0);
    }
    // ln m = 2 (z + z³/3 + z⁵/5 + …) with z = (m − 1) / (m + 1): at most 0.172, so that 11 terms suffice.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let series = (0u32..11).rev().fold(0.0, |sum, term| sum * (z * z) + 1.0 / f64::from(2 * term + 1));
    exponent + 2.0 * z * series * std::f64::consts::LOG2_E
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn f(text: &str) -> Fraction {
        Fraction::parse(text).unwrap()
    }

    proptest! {
        #[test]
        fn log2_is_that_of_the_library_but_for_the_last_digits(number: u64, bits in 0u32..64) {
            let number = number >> bits;
            let expected = (number.max(1) as f64).log2();
            prop_assert!((log2(number) - expected).abs() <= 4.0 * f64::EPSILON * expected, "{number}");
        }
    }

    #[test]
    fn log2_has_the_same_bits_everywhere() {
        for exponent in 0..64u32 {
            assert_eq!(log2(1 << exponent), f64::from(exponent));
        }
        assert_eq!(log2(0), 0.0);
        let bits = [3, 5, 1000, 30_162].map(|number| log2(number).to_bits());
        assert_eq!(
            bits,
            [0x3ff9_5c01_a39f_bd69, 0x4002_934f_0979_a371, 0x4023_ee7b_471b_3a95, 0x402d_c2c9_9e3f_2031]
        );
    }

    #[test]
    fn a_decimal_is_read_without_rounding() {
        assert_eq!(f("0.30"), Fraction::new(3, 10).unwrap());
        assert_eq!(f("12"), Fraction::new(12, 1).unwrap());
        assert_eq!(f(".5"), Fraction::new(1, 2).unwrap());
        for bad in ["", ".", "-1", "1e3", "NaN", "0.1234567890123", "1234567890123"] {
            assert!(Fraction::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sums_products_and_complements_are_exact() {
        assert_eq!(f("0.84").times(f("0.84")), Some(f("0.7056")));
        assert_eq!(f("0.7056").complement(), Some(f("0.2944")));
        assert_eq!(f("1.5").complement(), None);
        assert_eq!(f("0.1").plus(f("0.2")), Some(f("0.3")));
        assert_eq!(
            Fraction::of_terms(4, 1461).unwrap().plus(Fraction::of_terms(1457, 1461).unwrap()),
            Some(Fraction::ONE)
        );
        assert_eq!(Fraction::of_terms(1, 0), None);
        let tiny = Fraction::of_terms(1, u128::MAX).unwrap();
        assert_eq!((tiny.times(tiny), tiny.plus(f("0.5"))), (None, None), "never rounded");
        assert_eq!(
            tiny.times(Fraction::of_terms(u128::MAX, 2).unwrap()),
            Some(f("0.5")),
            "what cancels out still fits"
        );
    }

    #[test]
    fn exactly_at_the_threshold_is_equal() {
        assert_eq!(f("0.3").compare_with(3, 10), Ordering::Equal);
        assert_eq!(f("0.3").compare_with(7, 15), Ordering::Greater);
    }

    #[test]
    fn the_suppression_limit_is_floored_exactly() {
        assert_eq!(f("0.25").floor_of(8), 2);
        assert_eq!(f("0.29").floor_of(100), 29); // 0.29 · 100 is 28.999… in doubles
        assert_eq!(f("0.05").floor_of(30162), 1508);
    }

    proptest! {
        #[test]
        fn fractions_compare_like_big_integers(a: u128, b in 1u128.., c: u128, d in 1u128..) {
            let exact = (BigUint::from(a) * d).cmp(&(BigUint::from(c) * b));
            prop_assert_eq!(compare_fractions(a, b, c, d), exact);
        }
    }
}
