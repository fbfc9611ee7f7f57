//! Exact numbers: probabilities, ε and δ as they were written, without binary rounding.
//!
//! A probability that is off by one bit is a different mechanism, and a budget that drifts is no budget. All figures that decide
//! something are rationals; doubles appear only in what a person reads.

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

use dashu::base::{Abs, Signed};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

/// Digits before and after the point, and in each part of `a/b`.
const MOST_DIGITS: usize = 18;

/// A rational number of any size, in lowest terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(pub(crate) RBig);

/// Why a text is not a number of the kind that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotExact {
    /// Not a decimal and not a fraction.
    #[error(
        "not a number: write a decimal such as 0.16 or 1e-6, or a fraction such as 4/1461, of at most {MOST_DIGITS} digits each"
    )]
    NotANumber,
    /// Outside 0..=1.
    #[error("not a probability: write a number from 0 to 1")]
    NotAProbability,
    /// Zero or below.
    #[error("ε must be greater than 0")]
    EpsilonNotPositive,
    /// Outside 0 < δ < 1.
    #[error("δ must be greater than 0 and less than 1")]
    DeltaOutOfRange,
}

impl Ratio {
    /// 0.
    pub fn zero() -> Ratio {
        Ratio(RBig::ZERO)
    }

    /// 1.
    pub fn one() -> Ratio {
        Ratio(RBig::ONE)
    }

    /// `numerator / denominator`; `None` when the denominator is 0.
    pub fn new(numerator: i64, denominator: u64) -> Option<Ratio> {
        (denominator > 0).then(|| Ratio(RBig::from_parts(IBig::from(numerator), UBig::from(denominator))))
    }

    /// A whole number.
    pub fn whole(number: u128) -> Ratio {
        Ratio(RBig::from(UBig::from(number)))
    }

    pub(crate) fn as_big(&self) -> &RBig {
        &self.0
    }

    /// Reads `0.16`, `1e-6` or `4/1461` without rounding; no sign.
    pub fn parse(text: &str) -> Result<Ratio, NotExact> {
        match text.split_once('/') {
            Some((above, below)) => {
                let (above, below) = (digits(above)?, digits(below)?);
                if below == 0 {
                    return Err(NotExact::NotANumber);
                }
                Ok(Ratio(RBig::from_parts(IBig::from(above), UBig::from(below))))
            }
            None => decimal(text),
        }
    }

    /// Reads what [`Display`](fmt::Display) wrote, however many digits it has: for numbers that were checked before they were
    /// written.
    pub fn read_back(text: &str) -> Result<Ratio, NotExact> {
        /// Longer texts are refused.
        const MOST: usize = 100_000;
        let digits = |text: &str| match text.len() <= MOST && text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<UBig>().map_err(|_| NotExact::NotANumber),
            false => Err(NotExact::NotANumber),
        };
        if let Some((above, below)) = text.split_once('/') {
            let (above, below) = (digits(above)?, digits(below)?);
            if below.is_zero() {
                return Err(NotExact::NotANumber);
            }
            return Ok(Ratio(RBig::from_parts(above.into(), below)));
        }
        let (whole, part) = match text.split_once('.') {
            Some((whole, part)) if !part.is_empty() => (whole, part),
            None => (text, ""),
            Some(_) => return Err(NotExact::NotANumber),
        };
        let all = digits(&format!("{whole}{part}"))?;
        Ok(Ratio(RBig::from_parts(all.into(), UBig::from(10u8).pow(part.len()))))
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is below 0.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// The denominator in lowest terms, where it fits 64 bits.
    pub(crate) fn small_denominator(&self) -> Option<u64> {
        u64::try_from(self.0.denominator()).ok()
    }

    /// `self · by` as a whole number, where it is one and fits 64 bits.
    pub(crate) fn times_as_whole(&self, by: u64) -> Option<u64> {
        let product = &self.0 * RBig::from(by);
        product.is_int().then(|| u64::try_from(product.numerator()).ok()).flatten()
    }

    /// The least multiple of `1/parts` that is not below this; `None` when `parts` is 0.
    pub fn rounded_up(&self, parts: u64) -> Option<Ratio> {
        let scaled = (&self.0 * RBig::from(parts)).ceil();
        (parts > 0).then(|| Ratio(RBig::from_parts(scaled, UBig::from(parts))))
    }

    /// The greatest whole number that is not above this, where it fits.
    pub fn floor(&self) -> Option<i64> {
        i64::try_from(self.0.floor()).ok()
    }

    /// The nearest double, for people.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// A double that is certainly not above this number.
    #[cfg(feature = "mechanism")]
    pub(crate) fn f64_below(&self) -> f64 {
        self.to_f64().next_down()
    }
}

fn digits(text: &str) -> Result<u64, NotExact> {
    let plain = (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().map_err(|_| NotExact::NotANumber) } else { Err(NotExact::NotANumber) }
}

fn decimal(text: &str) -> Result<Ratio, NotExact> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let exponent = exponent.strip_prefix('-').ok_or(NotExact::NotANumber)?;
            (
                mantissa,
                digits(exponent).ok().filter(|e| *e <= MOST_DIGITS as u64).ok_or(NotExact::NotANumber)?,
            )
        }
        None => (text, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && part.is_empty() {
        return Err(NotExact::NotANumber);
    }
    let read = |part: &str| if part.is_empty() { Ok(0) } else { digits(part) };
    let ten = |power: usize| UBig::from(10u8).pow(power);
    let above = UBig::from(read(whole)?) * ten(part.len()) + UBig::from(read(part)?);
    Ok(Ratio(RBig::from_parts(above.into(), ten(part.len() + exponent as usize))))
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl $name for &Ratio {
            type Output = Ratio;
            fn $method(self, other: &Ratio) -> Ratio {
                Ratio($name::$method(&self.0, &other.0))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
// Division by zero panics, as it does for integers; callers here divide by numbers they know to be positive.
operator!(Div, div);

impl<'a> std::iter::Sum<&'a Ratio> for Ratio {
    fn sum<I: Iterator<Item = &'a Ratio>>(numbers: I) -> Ratio {
        numbers.fold(Ratio::zero(), |sum, number| &sum + number)
    }
}

impl fmt::Display for Ratio {
    /// The exact decimal where it ends (`0.2944`), else the fraction (`4/1461`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (numerator, denominator) = (self.0.numerator(), self.0.denominator());
        let Some(places) = decimal_places(denominator) else {
            return write!(f, "{numerator}/{denominator}");
        };
        let scaled = numerator * IBig::from(UBig::from(10u8).pow(places)) / IBig::from(denominator.clone());
        let sign = if self.is_negative() { "-" } else { "" };
        let digits = format!("{:0>width$}", scaled.abs().to_string(), width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        if part.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{part}") }
    }
}

/// How many digits `1 / denominator` has after the point; `None` when it never ends or is very long.
fn decimal_places(denominator: &UBig) -> Option<usize> {
    let mut rest = denominator.clone();
    let mut powers = [0usize; 2];
    for (power, prime) in powers.iter_mut().zip([2u8, 5]) {
        while (&rest % prime) == 0 {
            rest /= prime;
            *power += 1;
        }
    }
    let places = powers[0].max(powers[1]);
    (rest == UBig::ONE && places <= 2 * MOST_DIGITS).then_some(places)
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.numerator(), self.0.denominator())
    }
}

macro_rules! checked_number {
    ($(#[$doc:meta])* $name:ident, $holds:expr, $error:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Ratio);

        impl $name {
            /// Checks the range once, so that no caller has to.
            pub fn new(value: Ratio) -> Result<$name, NotExact> {
                let holds: fn(&Ratio) -> bool = $holds;
                if holds(&value) { Ok($name(value)) } else { Err($error) }
            }

            /// Reads a decimal or a fraction exactly.
            pub fn parse(text: &str) -> Result<$name, NotExact> {
                $name::new(Ratio::parse(text)?)
            }

            /// The number itself.
            pub fn ratio(&self) -> &Ratio {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

impl Ratio {
    /// A number that is not above `e^self`, and nearer to it than 10⁻²⁰ of it; `None` below 0 and above [`Ratio::LARGEST_EXPONENT`].
    ///
    /// The first terms of `Σ xⁱ / i!`, of which none is negative.
    pub fn exp_below(&self) -> Option<Ratio> {
        if self.is_negative() || *self > Ratio::whole(Ratio::LARGEST_EXPONENT) {
            return None;
        }
        // A multiple of 2⁻⁸⁰ that is not above: digits of a long fraction would be multiplied again and again.
        let x = &self.0;
        let short = RBig::from_parts((x * RBig::from(UBig::ONE << 80)).floor(), UBig::ONE << 80);
        let (mut term, mut sum) = (RBig::ONE, RBig::ONE);
        for i in 1..=u32::try_from(Ratio::LARGEST_EXPONENT).unwrap_or(u32::MAX) * 4 + 80 {
            term = &term * &short / RBig::from(i);
            // Cut to 2⁻⁹⁶: again not above.
            term = RBig::from_parts((&term * RBig::from(UBig::ONE << 96)).floor(), UBig::ONE << 96);
            sum += &term;
        }
        Some(Ratio(sum))
    }

    /// Beyond this an ε protects nobody.
    pub const LARGEST_EXPONENT: u128 = 64;
}

checked_number!(
    /// A probability: 0 ≤ p ≤ 1.
    Probability,
    |p| !p.is_negative() && *p <= Ratio::one(),
    NotExact::NotAProbability
);
checked_number!(
    /// The privacy loss of a mechanism: ε > 0.
    Epsilon,
    |e| !e.is_negative() && !e.is_zero(),
    NotExact::EpsilonNotPositive
);
checked_number!(
    /// The probability with which ε may fail to hold: 0 < δ < 1.
    Delta,
    |d| !d.is_negative() && !d.is_zero() && *d < Ratio::one(),
    NotExact::DeltaOutOfRange
);

impl Probability {
    /// `1 − p`.
    pub fn complement(&self) -> Probability {
        Probability(&Ratio::one() - &self.0)
    }

    /// The probability of being hit at least once in two independent steps: `1 − (1−p)(1−q)`.
    pub fn either(&self, other: &Probability) -> Probability {
        let missed = self.complement().0;
        Probability(&Ratio::one() - &(&missed * &other.complement().0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_decimal_is_read_without_rounding() {
        let read = |text| Ratio::parse(text).unwrap();
        assert_eq!(read("0.16"), Ratio::new(4, 25).unwrap());
        assert_eq!(read("4/1461"), Ratio::new(4, 1461).unwrap());
        assert_eq!(read("1e-6"), Ratio::new(1, 1_000_000).unwrap());
        assert_eq!(read("2.5E-3"), Ratio::new(1, 400).unwrap());
        assert_eq!(read(".5"), Ratio::new(1, 2).unwrap());
        assert_eq!(read("3"), Ratio::whole(3));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bad in [
            "",
            ".",
            "-1",
            "+1",
            "NaN",
            "1/0",
            "1/",
            "/2",
            "1e3",
            "1e-",
            "1e-99",
            "0.1234567890123456789",
            "1_0",
            "0x1",
            "½",
        ] {
            assert_eq!(Ratio::parse(bad), Err(NotExact::NotANumber), "{bad}");
        }
        assert_eq!(Probability::parse("1.01"), Err(NotExact::NotAProbability));
        assert_eq!(Epsilon::parse("0"), Err(NotExact::EpsilonNotPositive));
        assert_eq!(Delta::parse("1"), Err(NotExact::DeltaOutOfRange));
    }

    #[test]
    fn a_number_is_written_as_it_was_read() {
        for text in ["0.2944", "4/1461", "12", "0", "0.000001", "1/3"] {
            assert_eq!(Ratio::parse(text).unwrap().to_string(), text);
        }
        assert_eq!((&Ratio::zero() - &Ratio::parse("0.05").unwrap()).to_string(), "-0.05");
    }

    #[test]
    fn the_exponential_is_just_below() {
        for text in ["0", "0.000001", "0.5", "1", "1.098612", "7/3", "20", "64"] {
            let number = Ratio::parse(text).unwrap();
            let below = number.exp_below().unwrap();
            let near = number.to_f64().exp();
            assert!((below.to_f64() / near - 1.0).abs() < 1e-14, "{text}: {} {near}", below.to_f64());
        }
        // e to 50 digits, and what is not above it.
        let e = Ratio::read_back("2.71828182845904523536028747135266249775724709369995").unwrap();
        let below = Ratio::one().exp_below().unwrap();
        assert!(below < e);
        assert!(&below + &Ratio::read_back("0.00000000000000000000001").unwrap() > e);
        assert_eq!(Ratio::zero().exp_below(), Some(Ratio::one()));
        assert_eq!(Ratio::whole(65).exp_below(), None);
        assert_eq!(Ratio::new(-1, 2).unwrap().exp_below(), None);
    }

    #[test]
    fn rounding_up_is_never_down() {
        let third = Ratio::parse("1/3").unwrap();
        assert_eq!(third.rounded_up(1_000).unwrap().to_string(), "0.334");
        assert_eq!(Ratio::parse("0.25").unwrap().rounded_up(100).unwrap().to_string(), "0.25");
        assert_eq!(third.rounded_up(0), None);
    }

    #[test]
    fn two_steps_hit_with_the_combined_probability() {
        for (p, q, combined) in [
            ("0.16", "0.16", "0.2944"),
            ("0.5", "0.5", "0.75"),
            ("0.3", "0.2", "0.44"),
            ("0.0", "0.7", "0.7"),
            ("1.0", "0.3", "1"),
        ] {
            let either = Probability::parse(p).unwrap().either(&Probability::parse(q).unwrap());
            assert_eq!(either.to_string(), combined);
        }
    }

    proptest! {
        #[test]
        fn decimals_survive_the_way_there_and_back(whole in 0u64..1_000_000, part in 0u64..1_000_000) {
            let number = Ratio::parse(&format!("{whole}.{part:06}")).unwrap();
            prop_assert_eq!(Ratio::parse(&number.to_string()).unwrap(), number.clone());
            prop_assert_eq!(number, Ratio::new((whole * 1_000_000 + part) as i64, 1_000_000).unwrap());
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,24}") {
            let _ = Ratio::parse(&text);
        }
    }
}
