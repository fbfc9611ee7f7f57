//! Exact decimal numbers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// An exact decimal number: `mantissa · 10^-scale` with fewer than 39 digits before and behind the point.
///
/// Always in its shortest form, so equal numbers are equal in every respect. Arithmetic is checked: a result
/// out of range is `None`, never rounded.
///
/// ```
/// # use paravent_core::values::Decimal;
/// let tenth: Decimal = "0.10".parse().unwrap();
/// let sum = (0..10).try_fold(Decimal::ZERO, |sum, _| sum.checked_add(tenth));
/// assert_eq!(sum, Some(Decimal::from(1)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Below 10^38 in size; no trailing zero while `scale` is above 0.
    mantissa: i128,
    /// At most [`DIGITS`].
    scale: u8,
}

/// A text that is no exact decimal within the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an exact decimal number")]
pub struct NotADecimal;

/// Most digits of a mantissa, and most digits behind the point.
const DIGITS: u8 = 38;

impl Decimal {
    /// 0.
    pub const ZERO: Decimal = Decimal { mantissa: 0, scale: 0 };

    /// `mantissa · 10^-scale`; `None` when it takes more than 38 digits.
    pub fn new(mut mantissa: i128, mut scale: u32) -> Option<Decimal> {
        while scale > 0 && mantissa % 10 == 0 && mantissa != 0 {
            mantissa /= 10;
            scale -= 1;
        }
        if mantissa == 0 {
            return Some(Decimal::ZERO);
        }
        let scale = u8::try_from(scale).ok().filter(|scale| *scale <= DIGITS)?;
        (mantissa.unsigned_abs() < power(DIGITS).unsigned_abs()).then_some(Decimal { mantissa, scale })
    }

    /// Sum.
    pub fn checked_add(self, other: Decimal) -> Option<Decimal> {
        let scale = self.scale.max(other.scale);
        Decimal::new(self.units(scale)?.checked_add(other.units(scale)?)?, scale.into())
    }

    /// Difference.
    pub fn checked_sub(self, other: Decimal) -> Option<Decimal> {
        self.checked_add(Decimal { mantissa: -other.mantissa, scale: other.scale })
    }

    /// Product.
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        let mantissa = self.mantissa.checked_mul(other.mantissa)?;
        Decimal::new(mantissa, u32::from(self.scale) + u32::from(other.scale))
    }

    /// The largest whole number that is not above.
    pub fn floor(self) -> i128 {
        self.floor_units(0)
    }

    /// The smallest whole number that is not below.
    pub fn ceil(self) -> i128 {
        -Decimal { mantissa: -self.mantissa, scale: self.scale }.floor()
    }

    /// The nearest whole number; halves go away from zero (2.5 → 3, −2.5 → −3).
    pub fn round(self) -> i128 {
        let unit = power(self.scale);
        let (whole, rest) = (self.mantissa / unit, self.mantissa % unit);
        // `rest` is below 10^38 in size, so doubling it could overflow; halving the unit cannot.
        let up = self.scale > 0 && rest.unsigned_abs() >= (unit / 2).unsigned_abs();
        if up { whole + self.mantissa.signum() } else { whole }
    }

    /// The nearest multiple of `step`, which is above 0; halves go away from zero. `None` where that takes too many digits.
    ///
    /// ```
    /// # use paravent_core::values::Decimal;
    /// let number = |text: &str| text.parse::<Decimal>().unwrap();
    /// assert_eq!(number("-12.5").rounded_to(number("5")), Some(number("-15")));
    /// ```
    pub fn rounded_to(self, step: Decimal) -> Option<Decimal> {
        let scale = self.scale.max(step.scale);
        let (units, step) = (self.units(scale)?, step.units(scale).filter(|step| *step > 0)?);
        let (times, rest) = (units / step, units % step);
        let up = rest.unsigned_abs() >= step.unsigned_abs().div_ceil(2);
        let times = if up { times + units.signum() } else { times };
        Decimal::new(times.checked_mul(step)?, scale.into())
    }

    /// A sum divided by a count, rounded to this number of decimals. Halves round away from zero. `None` if there are too many digits.
    pub fn divided_by(self, count: u64, digits: u8) -> Option<Decimal> {
        let scale = self.scale.max(digits);
        let step = i128::from(count).checked_mul(power(scale.checked_sub(digits)?))?;
        let units = self.units(scale)?;
        let (times, rest) = (units.checked_div(step)?, units.checked_rem(step)?);
        let up = rest.unsigned_abs() >= step.unsigned_abs().div_ceil(2);
        Decimal::new(if up { times + units.signum() } else { times }, digits.into())
    }

    /// Is it a whole number?
    pub fn is_integer(self) -> bool {
        self.scale == 0
    }

    /// The nearest binary float, for display and shares.
    pub fn to_f64(self) -> f64 {
        // The standard library reads decimals correctly rounded, which dividing two floats is not.
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Number of digits behind the point.
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// In units of `10^-scale`, which must not be coarser than the number.
    pub(crate) fn units(self, scale: u8) -> Option<i128> {
        let finer = scale.checked_sub(self.scale)?;
        if finer > DIGITS {
            return None;
        }
        self.mantissa.checked_mul(power(finer))
    }

    /// In units of `10^-scale`, rounded down where the number is finer; saturates beyond `i128`.
    pub(crate) fn floor_units(self, scale: u8) -> i128 {
        match self.scale.checked_sub(scale) {
            Some(coarser) => self.mantissa.div_euclid(power(coarser)),
            None if self.mantissa < 0 => self.units(scale).unwrap_or(i128::MIN),
            None => self.units(scale).unwrap_or(i128::MAX),
        }
    }
}

/// `10^exponent` for `exponent ≤ DIGITS`, which fits `i128`.
fn power(exponent: u8) -> i128 {
    10i128.pow(exponent.into())
}

impl From<i64> for Decimal {
    fn from(whole: i64) -> Decimal {
        Decimal { mantissa: whole.into(), scale: 0 }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        // Whole parts first, then the fractions on a common scale: below 10^38 each, so nothing overflows.
        let scale = self.scale.max(other.scale);
        let fraction =
            |number: &Decimal| number.mantissa.rem_euclid(power(number.scale)) * power(scale - number.scale);
        self.floor().cmp(&other.floor()).then_with(|| fraction(self).cmp(&fraction(other)))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// Plain digits without exponent and without trailing zeros: `-12.5`, `0.001`, `1000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.mantissa < 0 { "-" } else { "" }, self.mantissa.unsigned_abs());
        if self.scale == 0 {
            return write!(f, "{sign}{size}");
        }
        let unit = power(self.scale).unsigned_abs();
        write!(f, "{sign}{}.{:0width$}", size / unit, size % unit, width = usize::from(self.scale))
    }
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    /// Sign, digits with at most one point, exponent: `12`, `-12.50`, `.5`, `1e-3`.
    fn from_str(text: &str) -> Result<Decimal, NotADecimal> {
        read(text).ok_or(NotADecimal)
    }
}

fn read(text: &str) -> Option<Decimal> {
    let (negative, text) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, read_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if number.len() > 100 || digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Zeros at the end move into the exponent, so that 41 written digits may still be a short number.
    let zeros = digits().rev().take_while(|byte| *byte == b'0').count();
    let written = whole.len() + fraction.len() - zeros;
    let mut mantissa = 0i128;
    for digit in digits().take(written) {
        mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    if mantissa == 0 {
        return Some(Decimal::ZERO);
    }
    let exponent = exponent - fraction.len() as i32 + zeros as i32;
    if negative {
        mantissa = -mantissa;
    }
    match u8::try_from(exponent) {
        Ok(zeros) if zeros <= DIGITS => Decimal::new(mantissa.checked_mul(power(zeros))?, 0),
        Ok(_) => None,
        Err(_) => Decimal::new(mantissa, exponent.unsigned_abs()).filter(|_| exponent < 0),
    }
}

fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn shown_without_exponent_and_trailing_zeros() {
        for (text, shown) in [
            ("-12.50", "-12.5"),
            ("1e-3", "0.001"),
            ("100e1", "1000"),
            ("+.5", "0.5"),
            ("-0.0", "0"),
            ("007", "7"),
            ("1.", "1"),
        ] {
            assert_eq!(decimal(text).to_string(), shown);
        }
    }

    #[test]
    fn bounds_are_38_digits_on_both_sides() {
        assert!("9".repeat(38).parse::<Decimal>().is_ok());
        assert!("9".repeat(39).parse::<Decimal>().is_err());
        assert!("1e37".parse::<Decimal>().is_ok());
        assert!("1e38".parse::<Decimal>().is_err());
        assert!("1e-38".parse::<Decimal>().is_ok());
        assert!("1e-39".parse::<Decimal>().is_err());
        assert_eq!(decimal(&format!("0.1{}", "0".repeat(60))), decimal("0.1"));
        let big = decimal(&"9".repeat(38));
        assert_eq!(big.checked_add(decimal("1")), None);
        assert_eq!(big.checked_mul(big), None);
        assert!(big > decimal("1e-38") && decimal("-1e-38") > decimal("-1e37"));
    }

    #[test]
    fn scales_do_not_disturb_the_order() {
        let ascending = ["-2.01", "-2", "-1.5", "-1.25", "-1", "-0.001", "0", "0.1", "0.11", "1", "1.0001"];
        assert!(ascending.map(decimal).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn halves_go_away_from_zero() {
        let rounded = ["2.5", "-2.5", "2.49", "-0.5", "0.4999", "3"].map(|text| decimal(text).round());
        assert_eq!(rounded, [3, -3, 2, -1, 0, 3]);
        assert_eq!((decimal("-0.1").floor(), decimal("-0.1").ceil()), (-1, 0));
        assert_eq!((decimal("0.1").floor(), decimal("0.1").ceil()), (0, 1));
    }

    proptest! {
        #[test]
        fn agrees_with_integers_of_a_common_scale(
            a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000, scale in 0u32..6,
        ) {
            let (x, y) = (Decimal::new(a.into(), scale).unwrap(), Decimal::new(b.into(), scale).unwrap());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.checked_add(y), Decimal::new((a + b).into(), scale));
            prop_assert_eq!(x.checked_sub(y), Decimal::new((a - b).into(), scale));
            prop_assert_eq!(x.checked_mul(y), Decimal::new(i128::from(a) * i128::from(b), 2 * scale));
            prop_assert_eq!(x.floor(), i128::from(a.div_euclid(10i64.pow(scale))));
            prop_assert_eq!(x.to_string().parse::<Decimal>(), Ok(x));
            prop_assert_eq!(x.to_f64(), a as f64 / 10f64.powi(scale as i32));
            let text = format!("{a}e-{scale}");
            prop_assert_eq!(text.parse::<Decimal>(), Ok(x));
        }

        #[test]
        fn hostile_texts_do_not_panic(text in "[-+0-9.eE]{0,60}") {
            if let Ok(number) = text.parse::<Decimal>() {
                let _ = (number.floor(), number.ceil(), number.round(), number.floor_units(38));
                prop_assert_eq!(number.to_string().parse::<Decimal>(), Ok(number));
                prop_assert!(number.cmp(&number).is_eq());
            }
        }
    }
}
