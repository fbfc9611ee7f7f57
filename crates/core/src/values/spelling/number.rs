//! Numbers with a decimal sign and a grouping sign of their own.

use crate::words::separated;
use std::borrow::Cow;

/// `8.123,4` has the decimal sign `,` and the grouping sign `.`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberSpelling {
    decimal: char,
    grouping: Option<char>,
}

/// Why two signs are no way to write numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberSpellingError {
    /// Not a comma or a point.
    #[error("the decimal sign is a comma or a point")]
    Decimal,
    /// No sign that anybody groups digits with.
    #[error("digits are grouped by a point, a comma, a blank or an apostrophe")]
    Grouping,
    /// One sign for both.
    #[error("the decimal sign and the grouping sign must differ")]
    Same,
}

/// Signs between groups of three digits: also the no-break blanks that spreadsheets and typesetters use.
const GROUPING: [char; 7] = ['.', ',', ' ', '\'', '\u{a0}', '\u{202f}', '\u{2019}'];

impl NumberSpelling {
    /// Checks the signs.
    pub fn new(decimal: char, grouping: Option<char>) -> Result<NumberSpelling, NumberSpellingError> {
        if !matches!(decimal, ',' | '.') {
            return Err(NumberSpellingError::Decimal);
        }
        if grouping.is_some_and(|sign| !GROUPING.contains(&sign)) {
            return Err(NumberSpellingError::Grouping);
        }
        if grouping == Some(decimal) {
            return Err(NumberSpellingError::Same);
        }
        Ok(NumberSpelling { decimal, grouping })
    }

    /// Between the whole part and the fraction.
    pub fn decimal(&self) -> char {
        self.decimal
    }

    /// Between groups of three digits.
    pub fn grouping(&self) -> Option<char> {
        self.grouping
    }

    /// Whether numbers are written as the engine writes them.
    pub fn is_plain(&self) -> bool {
        self.decimal == '.' && self.grouping.is_none()
    }

    pub(super) fn read<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        let Parts { sign, whole, fraction, exponent } = Parts::of(cell, self.decimal)?;
        let grouped = self.grouping.filter(|sign| whole.contains(*sign));
        let whole: Cow<'_, str> = match grouped {
            Some(sign) => Cow::Owned(ungrouped(whole, sign)?),
            None => Cow::Borrowed(whole),
        };
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let some = !whole.is_empty() || fraction.is_some_and(|digits| !digits.is_empty());
        if !some || !all_digits(&whole) || !fraction.is_none_or(all_digits) {
            return None;
        }
        if grouped.is_none() && (self.decimal == '.' || fraction.is_none()) {
            return Some(Cow::Borrowed(cell));
        }
        let point = if fraction.is_some() { "." } else { "" };
        Some(Cow::Owned(format!("{sign}{whole}{point}{}{exponent}", fraction.unwrap_or_default())))
    }

    pub(super) fn write<'a>(&self, value: &'a str) -> Cow<'a, str> {
        let Some(Parts { sign, whole, fraction, exponent }) = Parts::of(value, '.') else {
            return Cow::Borrowed(value);
        };
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !fraction.is_none_or(digits) {
            return Cow::Borrowed(value);
        }
        let groups = self.grouping.filter(|_| whole.len() > 3);
        if groups.is_none() && (self.decimal == '.' || fraction.is_none()) {
            return Cow::Borrowed(value);
        }
        let mut written = String::from(sign);
        match groups {
            Some(separator) => written.push_str(&separated(whole, separator)),
            None => written.push_str(whole),
        }
        if let Some(fraction) = fraction {
            written.push(self.decimal);
            written.push_str(fraction);
        }
        written.push_str(exponent);
        Cow::Owned(written)
    }
}

/// A number cut at its signs; nothing is checked yet but the exponent.
struct Parts<'a> {
    sign: &'a str,
    whole: &'a str,
    /// Behind the decimal sign, if there is one.
    fraction: Option<&'a str>,
    /// With its `e`.
    exponent: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str, decimal: char) -> Option<Parts<'a>> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let sign = &text[..text.len() - unsigned.len()];
        let (number, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => unsigned.split_at(at),
            None => (unsigned, ""),
        };
        let power = exponent.get(1..).unwrap_or_default();
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        if !exponent.is_empty() && (power.is_empty() || !power.bytes().all(|byte| byte.is_ascii_digit())) {
            return None;
        }
        let (whole, fraction) = match number.split_once(decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (number, None),
        };
        Some(Parts { sign, whole, fraction, exponent })
    }
}

/// Digits without their groups: one to three digits, then threes. Anything else is another number than it seems.
fn ungrouped(whole: &str, sign: char) -> Option<String> {
    let mut groups = whole.split(sign);
    let first = groups.next()?;
    let mut digits = String::from(first);
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        digits.push_str(group);
    }
    (1..=3).contains(&first.len()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn german() -> NumberSpelling {
        NumberSpelling::new(',', Some('.')).unwrap()
    }

    #[test]
    fn german_numbers_are_read_and_written_back() {
        for (cell, value) in [
            ("27,5", "27.5"),
            ("8.123,4", "8123.4"),
            ("-1.234.567", "-1234567"),
            ("5,0", "5.0"),
            ("007", "007"),
            ("1,5e-3", "1.5e-3"),
            ("0", "0"),
        ] {
            assert_eq!(german().read(cell).as_deref(), Some(value));
            assert_eq!(german().write(value), cell);
        }
        assert_eq!(german().read("8123,4").as_deref(), Some("8123.4"), "groups may be left out");
    }

    #[test]
    fn what_could_be_another_number_is_refused() {
        for cell in [
            "27.5", "1.23", "1.2345", "1234.567", ".123", "1,2,3", "1,5,", "", ",", "-", "1e", "1.000.00",
            "x",
        ] {
            assert_eq!(german().read(cell), None, "{cell}");
        }
        let comma = NumberSpelling::new(',', None).unwrap();
        assert_eq!(comma.read("27.5"), None);
        assert_eq!(comma.read(",5").as_deref(), Some(".5"));
    }

    #[test]
    fn labels_stay_as_they_are() {
        for label in ["20-39", "[0.5, 1)", "<0", "*", "1990s", ".5", "1.5.2"] {
            assert_eq!(german().write(label), label);
        }
    }

    #[test]
    fn signs_must_be_told_apart() {
        assert_eq!(NumberSpelling::new(',', Some(',')), Err(NumberSpellingError::Same));
        assert_eq!(NumberSpelling::new(';', None), Err(NumberSpellingError::Decimal));
        assert_eq!(NumberSpelling::new(',', Some('x')), Err(NumberSpellingError::Grouping));
        assert!(NumberSpelling::new('.', None).unwrap().is_plain());
    }

    proptest! {
        #[test]
        fn every_decimal_comes_back(whole in "[1-9][0-9]{0,9}|0", fraction in "(\\.[0-9]{1,4})?", minus in "-?", sign in 0usize..8) {
            let value = format!("{minus}{whole}{fraction}");
            let grouping = GROUPING.get(sign).copied().filter(|sign| *sign != ',');
            let spelling = NumberSpelling::new(',', grouping).unwrap();
            let written = spelling.write(&value).into_owned();
            let read = spelling.read(&written);
            prop_assert_eq!(read.as_deref(), Some(value.as_str()));
        }

        #[test]
        fn any_text_is_read_or_not_but_never_panics(text in any::<String>()) {
            let _ = (german().read(&text), german().write(&text));
        }
    }
}
