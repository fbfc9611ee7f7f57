//! Thresholds, exactly as they were written.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number as text: `0.30` is kept as `0.3`, `1e-3` as `0.001`, `5.0` as `5`.
///
/// Thresholds are compared with exact fractions of counts, and a binary float cannot even hold 0.3.
/// At most 18 digits before the point and 12 after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecimalText(String);

/// Why a text is no [`DecimalText`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Something else than digits, a sign, a point and an exponent.
    #[error("must be a decimal number")]
    NotANumber,
    /// Digits that could not be kept exactly.
    #[error("has more than {} digits after the point", DecimalText::FRACTION_DIGITS)]
    TooFine,
    /// Too large.
    #[error("has more than {} digits before the point", DecimalText::INTEGER_DIGITS)]
    TooLarge,
}

impl DecimalText {
    /// Most digits after the point.
    pub const FRACTION_DIGITS: usize = 12;
    /// Most digits before the point.
    pub const INTEGER_DIGITS: usize = 18;

    /// From a literal such as `0.30`, `-5`, `1_000` or `1e-3`.
    ///
    /// # Errors
    /// If it is no finite decimal number or has too many digits.
    pub fn new(literal: &str) -> Result<Self, DecimalError> {
        let literal = literal.trim();
        let (negative, unsigned) = match literal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, literal.strip_prefix('+').unwrap_or(literal)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(DecimalError::NotANumber);
        }
        let digits: String = whole.chars().chain(fraction.chars()).filter(|&c| c != '_').collect();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(DecimalError::NotANumber);
        }
        let fraction_digits = fraction.chars().filter(|&c| c != '_').count();
        Self::from_digits(negative, &digits, exponent.saturating_sub_unsigned(fraction_digits as u64))
    }

    /// `digits · 10^power`, without leading and trailing zeros.
    fn from_digits(negative: bool, digits: &str, power: i64) -> Result<Self, DecimalError> {
        let without_tail = digits.trim_end_matches('0');
        let power = power.saturating_add_unsigned((digits.len() - without_tail.len()) as u64);
        let digits = without_tail.trim_start_matches('0');
        if digits.is_empty() {
            return Ok(Self("0".to_owned()));
        }
        if power < -(Self::FRACTION_DIGITS as i64) {
            return Err(DecimalError::TooFine);
        }
        if (digits.len() as i64).saturating_add(power) > Self::INTEGER_DIGITS as i64 {
            return Err(DecimalError::TooLarge);
        }
        let mut text = digits.to_owned();
        if power >= 0 {
            text.extend(std::iter::repeat_n('0', power as usize));
        } else {
            let fraction_digits = power.unsigned_abs() as usize;
            let missing = (fraction_digits + 1).saturating_sub(text.len());
            text.insert_str(0, &"0".repeat(missing));
            text.insert(text.len() - fraction_digits, '.');
        }
        if negative {
            text.insert(0, '-');
        }
        Ok(Self(text))
    }

    /// The shortest way to write it without an exponent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number times 10¹², which is whole.
    pub fn scaled(&self) -> i128 {
        let (negative, unsigned) = match self.0.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.0.as_str()),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let padding = std::iter::repeat_n(b'0', Self::FRACTION_DIGITS - fraction.len());
        let digits = whole.bytes().chain(fraction.bytes()).chain(padding);
        // 30 digits at most, and i128 holds 38.
        let size = digits.fold(0_i128, |number, digit| number * 10 + i128::from(digit - b'0'));
        if negative { -size } else { size }
    }
}

/// Beyond a thousand nothing fits anyway (or all digits are zero), so the exponent is cut off there.
fn parse_exponent(text: &str) -> Result<i64, DecimalError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DecimalError::NotANumber);
    }
    let size =
        digits.bytes().fold(0_i64, |n, digit| (n * 10 + i64::from(digit - b'0')).min(i64::from(u32::MAX)));
    Ok(if negative { -size } else { size })
}

impl From<u32> for DecimalText {
    fn from(number: u32) -> Self {
        Self(number.to_string())
    }
}

impl Ord for DecimalText {
    fn cmp(&self, other: &Self) -> Ordering {
        self.scaled().cmp(&other.scaled())
    }
}

impl PartialOrd for DecimalText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for DecimalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(literal: &str) -> String {
        DecimalText::new(literal).map_or_else(|error| format!("{error:?}"), |number| number.to_string())
    }

    #[test]
    fn keeps_the_number_and_drops_the_decoration() {
        let same =
            [("0.30", "0.3"), ("5", "5"), ("5.0", "5"), ("1e-3", "0.001"), ("+007", "7"), ("-0.0", "0")];
        let more =
            [("1_000.5", "1000.5"), ("12.5e2", "1250"), ("-12.5e-1", "-1.25"), ("100", "100"), ("0e99", "0")];
        for (literal, expected) in same.into_iter().chain(more) {
            assert_eq!(text(literal), expected, "{literal}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_keep() {
        for literal in ["", "-", ".", "e3", "1e", "inf", "nan", "1/3", "0x10", "1.2.3", "1,5", "_"] {
            assert_eq!(text(literal), "NotANumber", "{literal}");
        }
        assert_eq!(text("0.1234567890123"), "TooFine");
        assert_eq!(text("1e-99999999999999999999"), "TooFine");
        assert_eq!(text("1e18"), "TooLarge");
        assert_eq!(text("999999999999999999.999999999999"), "999999999999999999.999999999999");
    }

    #[test]
    fn is_ordered_by_size() {
        let number = |literal| DecimalText::new(literal).unwrap();
        assert!(number("9") < number("10"));
        assert!(number("-2") < number("-1.999"));
        assert_eq!(number("0.05").scaled(), 50_000_000_000);
    }
}
