//! Exact decimal numbers, as thresholds and interval ends are written.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;

/// Longest text and largest exponent that is taken for a number; both bound the work a hostile document can cause.
const MAX_DIGITS: usize = 400;

/// `digits · 10^-scale`, with the smallest possible scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: BigInt,
    scale: usize,
}

/// How a number becomes a whole one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rounding {
    None,
    Down,
    /// Halves away from zero.
    Nearest,
    Up,
}

impl Decimal {
    /// Reads `-12.50`, `+3`, `.5`, `1e-3`. `None` for anything else, and for numbers of absurd length.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        if text.len() > MAX_DIGITS {
            return None;
        }
        let (negative, unsigned) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], unsigned[at + 1..].parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |s: &str| s.bytes().all(|byte| byte.is_ascii_digit());
        let limit = u32::try_from(MAX_DIGITS).ok()?;
        if whole.len() + part.len() == 0
            || !all_digits(whole)
            || !all_digits(part)
            || exponent.unsigned_abs() > limit
        {
            return None;
        }
        let mut digits: BigInt = format!("{whole}{part}").parse().ok()?;
        if negative {
            digits = -digits;
        }
        let scale = i32::try_from(part.len()).ok()? - exponent;
        let decimal = match usize::try_from(scale) {
            Ok(scale) => Decimal { digits, scale },
            Err(_) => Decimal { digits: digits * power_of_ten(usize::try_from(-scale).ok()?), scale: 0 },
        };
        Some(decimal.shortest())
    }

    /// `digits · 10^-scale`.
    pub(crate) fn new(digits: BigInt, scale: usize) -> Decimal {
        Decimal { digits, scale }.shortest()
    }

    fn shortest(mut self) -> Decimal {
        let ten = BigInt::from(10);
        while self.scale > 0 && (&self.digits % &ten) == BigInt::ZERO {
            self.digits /= &ten;
            self.scale -= 1;
        }
        self
    }

    /// Whether it is above 0.
    pub(crate) fn is_positive(&self) -> bool {
        self.digits > BigInt::ZERO
    }

    /// Digits behind the point.
    pub(crate) fn scale(&self) -> usize {
        self.scale
    }

    /// The number times `10^scale`, if that is whole.
    pub(crate) fn scaled_to(&self, scale: usize) -> Option<BigInt> {
        Some(&self.digits * power_of_ten(scale.checked_sub(self.scale)?))
    }

    /// The number as a fraction: numerator (with the sign) and denominator.
    pub(crate) fn fraction(&self) -> (BigInt, BigInt) {
        (self.digits.clone(), power_of_ten(self.scale))
    }

    /// The same in 128 bits, for a number that is not negative and not long.
    pub(crate) fn short_fraction(&self) -> Option<(u128, u128)> {
        let denominator = 10u128.checked_pow(u32::try_from(self.scale).ok()?)?;
        Some((u128::try_from(&self.digits).ok()?, denominator))
    }

    /// ⌊self · count⌋ for a number that is not negative; `None` beyond 64 bits.
    pub(crate) fn floor_of_product(&self, count: u64) -> Option<u64> {
        u64::try_from(&self.digits * BigInt::from(count) / power_of_ten(self.scale)).ok()
    }

    /// The whole number that rounding makes of it.
    pub(crate) fn rounded(&self, rounding: Rounding) -> Decimal {
        let unit = power_of_ten(self.scale);
        let down = |digits: &BigInt| {
            let whole = digits / &unit;
            if digits < &BigInt::ZERO && digits % &unit != BigInt::ZERO { whole - 1 } else { whole }
        };
        let whole = match rounding {
            Rounding::None => return self.clone(),
            Rounding::Down => down(&self.digits),
            Rounding::Up => -down(&-&self.digits),
            // Away from zero: the truncated quotient of twice the number, one half further out.
            Rounding::Nearest if self.digits < BigInt::ZERO => (&self.digits * 2 - &unit) / (&unit * 2),
            Rounding::Nearest => (&self.digits * 2 + &unit) / (&unit * 2),
        };
        Decimal::new(whole, 0)
    }

    /// The nearest double, or an infinity.
    pub(crate) fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }
}

fn power_of_ten(exponent: usize) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let scale = self.scale.max(other.scale);
        self.scaled_to(scale).cmp(&other.scaled_to(scale))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// Plain notation without needless zeros: `-0.5`, `100`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.digits.magnitude().to_string();
        if self.digits < BigInt::ZERO {
            f.write_str("-")?;
        }
        if self.scale == 0 {
            return f.write_str(&text);
        }
        let padded = format!("{text:0>width$}", width = self.scale + 1);
        let (whole, part) = padded.split_at(padded.len() - self.scale);
        write!(f, "{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn prints_the_shortest_plain_form() {
        for (text, shortest) in
            [("0.50", "0.5"), ("-0.0", "0"), ("1e-3", "0.001"), ("12e2", "1200"), (".5", "0.5"), ("007", "7")]
        {
            assert_eq!(decimal(text).to_string(), shortest);
        }
        assert_eq!(decimal("1.50"), decimal("15e-1"));
        assert!(decimal("-2") < decimal("-1.99"));
    }

    #[test]
    fn refuses_what_is_no_number_or_absurd() {
        for text in
            ["", "-", ".", "1.2.3", "1e", "e5", "NaN", "inf", "0x10", "1e999999999", "1e-2147483648", "１"]
        {
            assert_eq!(Decimal::parse(text), None);
        }
        assert_eq!(Decimal::parse(&"9".repeat(100_000)), None);
    }

    #[test]
    fn rounding_knows_both_sides_of_zero() {
        for (text, down, nearest, up) in [
            ("24.5", "24", "25", "25"),
            ("24.4", "24", "24", "25"),
            ("-0.5", "-1", "-1", "0"),
            ("-0.4", "-1", "0", "0"),
            ("7", "7", "7", "7"),
            ("-7", "-7", "-7", "-7"),
        ] {
            let rounded = |rounding| decimal(text).rounded(rounding).to_string();
            assert_eq!([Rounding::Down, Rounding::Nearest, Rounding::Up].map(rounded), [down, nearest, up]);
            assert_eq!(rounded(Rounding::None), text);
        }
    }

    #[test]
    fn the_floor_of_a_share_is_exact() {
        assert_eq!(decimal("0.25").floor_of_product(8), Some(2));
        // 0.29 · 100 is 28.999999999999996 in doubles.
        assert_eq!(decimal("0.29").floor_of_product(100), Some(29));
        assert_eq!(decimal("0.05").floor_of_product(30162), Some(1508));
        assert_eq!(decimal("-0.05").floor_of_product(30162), None);
    }
}
