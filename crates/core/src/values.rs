//! What a cell may hold: types of values, as texts.
//!
//! Cells stay the texts that came in; a [`ValueType`] says which texts a column accepts and how they are
//! ordered. Numbers are exact decimals and times are civil times as written: nothing is rounded through
//! binary floats, nothing is converted between time zones.

use std::borrow::Cow;
use std::cmp::Ordering;

mod decimal;
mod moment;
mod spelling;

pub use decimal::{Decimal, NotADecimal};
pub(crate) use moment::Moment;
pub use spelling::{
    NumberSpelling, NumberSpellingError, Pattern, PatternError, Spelling, TruthSpelling, TruthSpellingError,
};

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Any text, ordered by its bytes.
    String,
    /// Optional sign and up to 30 digits.
    Integer,
    /// An exact decimal, `-12.50` or `1e-3`; see [`Decimal`] for the bounds. No NaN, no infinity.
    Decimal,
    /// `2024-03-09`, `2024/03/09` or `09.03.2024`: the forms that can be read in one way only.
    Date,
    /// `2024-03-09T14:05`, with `T` or a space, seconds and up to nine digits of fraction if wanted. An offset
    /// (`Z`, `+01:00`) is allowed and ignored: the civil time as written counts.
    DateTime,
    /// `true`/`false`, `yes`/`no`, `ja`/`nein`, `t`/`f` in any case, `1`/`0`.
    Boolean,
}

/// The type that all values have: integer, else decimal, date, time, boolean; string if nothing else. The
/// missing value has every type.
pub fn type_of(values: &[Option<&str>]) -> ValueType {
    const TYPES: [ValueType; 5] =
        [ValueType::Integer, ValueType::Decimal, ValueType::Date, ValueType::DateTime, ValueType::Boolean];
    let fits = |ty: &ValueType| values.iter().flatten().all(|value| ty.accepts(value));
    let some = values.iter().any(Option::is_some);
    TYPES.into_iter().find(fits).filter(|_| some).unwrap_or(ValueType::String)
}

impl ValueType {
    /// The name in job files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            ValueType::String => "string",
            ValueType::Integer => "integer",
            ValueType::Decimal => "decimal",
            ValueType::Date => "date",
            ValueType::DateTime => "datetime",
            ValueType::Boolean => "boolean",
        }
    }

    /// Is this text a value of the type?
    pub fn accepts(&self, text: &str) -> bool {
        self.key(text) != Key::Other
    }

    /// The one spelling of an accepted text's value: `007` and `7` are the same integer, `09.03.2024` and `2024-03-09` the same day.
    /// Two spellings must not pass for two values, neither as diversity nor as different people. Texts that are not accepted, and
    /// all strings, stay as they are. Of a time only the separator is settled: an offset is part of what was written.
    ///
    /// ```
    /// # use paravent_core::values::ValueType;
    /// assert_eq!(ValueType::Integer.canonical("+007"), "7");
    /// assert_eq!(ValueType::Decimal.canonical("1.50"), "1.5");
    /// assert_eq!(ValueType::Date.canonical("09.03.2024"), "2024-03-09");
    /// assert_eq!(ValueType::Boolean.canonical("Ja"), "true");
    /// assert_eq!(ValueType::String.canonical("007"), "007");
    /// ```
    pub fn canonical<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spelled = match self {
            ValueType::String => None,
            ValueType::Integer => integer(text).map(|number| number.to_string()),
            ValueType::Decimal => text.parse::<Decimal>().ok().map(|number| number.to_string()),
            ValueType::Date => Moment::date(text).map(|moment| moment.date.to_string()),
            ValueType::DateTime => Moment::date_time(text).map(|_| {
                let (date, rest) = text.split_at(10);
                format!("{date}T{}", rest[1..].to_ascii_uppercase())
            }),
            ValueType::Boolean => boolean(text).map(|truth| truth.to_string()),
        };
        match spelled {
            Some(spelled) if spelled != text => Cow::Owned(spelled),
            _ => Cow::Borrowed(text),
        }
    }

    /// Total order of two accepted texts: by value, and texts of equal value (`1.0` and `1`) by their bytes.
    /// Texts that are not accepted come before all others.
    ///
    /// ```
    /// # use paravent_core::values::ValueType;
    /// assert!(ValueType::Integer.compare("9", "10").is_lt());
    /// assert!(ValueType::String.compare("9", "10").is_gt());
    /// ```
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        self.key(a).cmp(&self.key(b)).then_with(|| a.cmp(b))
    }

    /// Sorts by [`compare`](ValueType::compare), reading each text once.
    pub fn sort(&self, texts: &mut [&str]) {
        texts.sort_by_cached_key(|text| (self.key(text), *text));
    }

    fn key(&self, text: &str) -> Key {
        let key = match self {
            ValueType::String => Some(Key::Text),
            ValueType::Integer => integer(text).map(Key::Integer),
            ValueType::Decimal => text.parse().ok().map(Key::Decimal),
            ValueType::Date => Moment::date(text).map(Key::Moment),
            ValueType::DateTime => Moment::date_time(text).map(Key::Moment),
            ValueType::Boolean => boolean(text).map(Key::Boolean),
        };
        key.unwrap_or(Key::Other)
    }
}

/// A value as it is ordered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Other,
    Text,
    Integer(i128),
    Decimal(Decimal),
    Moment(Moment),
    Boolean(bool),
}

fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = (1..=30).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn boolean(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "ja", "t", "1"]) {
        Some(true)
    } else if is(&["false", "no", "nein", "f", "0"]) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TYPES: [ValueType; 6] = [
        ValueType::String,
        ValueType::Integer,
        ValueType::Decimal,
        ValueType::Date,
        ValueType::DateTime,
        ValueType::Boolean,
    ];

    fn check(ty: ValueType, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(ty.accepts(text), "{ty:?} should accept {text}");
        }
        for text in bad {
            assert!(!ty.accepts(text), "{ty:?} should refuse {text}");
        }
    }

    #[test]
    fn integers_have_a_sign_and_at_most_thirty_digits() {
        let thirty = "9".repeat(30);
        check(
            ValueType::Integer,
            &["0", "-0", "+7", "007", &thirty],
            &["", "-", "1.0", " 1", "1e3", "٣", "🙂"],
        );
        check(ValueType::Integer, &[], &[&"9".repeat(31), &"0".repeat(10_000)]);
    }

    #[test]
    fn decimals_are_exact_and_finite() {
        check(
            ValueType::Decimal,
            &["-12.50", "1e-3", "+.5", "5.", "1E10", "0e5", &"9".repeat(38)],
            &[
                "",
                ".",
                "e5",
                "1e",
                "NaN",
                "inf",
                "∞",
                "1,5",
                "1e400",
                "1e-400",
                "1e99999999999",
                "0x10",
                "1_0",
            ],
        );
    }

    #[test]
    fn dates_are_read_in_one_way_only() {
        check(
            ValueType::Date,
            &["2024-02-29", "09.03.2024", "2024/03/09", "0000-01-01"],
            &["2023-02-29", "03/09/2024", "9.3.2024", "2024-3-9", "2024-03/09", "2024-13-01", "24-03-09", ""],
        );
        check(ValueType::Date, &[], &["2024-03-09T10:00", "２０24-03-09", "🙂🙂🙂"]);
    }

    #[test]
    fn date_times_keep_their_civil_time() {
        check(
            ValueType::DateTime,
            &[
                "2024-03-09T14:05",
                "2024-03-09 14:05:59.123456789",
                "2024-03-09T23:59:60Z",
                "2024-03-09 00:00+0100",
            ],
            &[
                "2024-03-09",
                "2024-03-09T24:00",
                "2024-03-09T14",
                "2024-03-09T14:05+25:00",
                "2024-03-09T14:05:1",
            ],
        );
        check(
            ValueType::DateTime,
            &["2024-03-09T14:05:00-05:30", "2024-03-09T14:05:00,5+01"],
            &["2024-03-09T14:05:00.", "2024-03-09T14:05 Europe/Berlin", "2024-03-09T14:05:00.1234567890"],
        );
        // 10:00 in Berlin is earlier than 09:30 in London, but it is written later.
        let (berlin, london) = ("2024-03-09T10:00+01:00", "2024-03-09T09:30+00:00");
        assert!(ValueType::DateTime.compare(berlin, london).is_gt());
    }

    #[test]
    fn booleans_speak_two_languages() {
        check(ValueType::Boolean, &["true", "No", "JA", "nein", "0", "t", "F"], &["", "2", "wahr", "oui"]);
        assert!(ValueType::Boolean.compare("yes", "false").is_gt());
    }

    #[test]
    fn equal_values_are_ordered_by_their_text() {
        assert!(ValueType::Decimal.compare("1", "1.0").is_lt());
        assert!(ValueType::Date.compare("09.03.2024", "2024-03-09").is_lt());
        assert!(ValueType::Date.compare("2024-03-08", "09.03.2024").is_lt());
        let mut texts = ["10", "x", "9", "-1"];
        ValueType::Integer.sort(&mut texts);
        assert_eq!(texts, ["x", "-1", "9", "10"]);
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_not_but_never_panics(text in any::<String>()) {
            for ty in TYPES {
                let _ = ty.accepts(&text);
            }
        }

        #[test]
        fn comparing_is_a_total_order(
            a in "[-+]?[0-9]{0,3}(\\.[0-9]{0,3})?(e-?[0-9])?", b in "[-+]?[0-9]{1,3}(\\.0*)?",
            c in "[0-9.e-]{0,5}",
        ) {
            for ty in TYPES {
                prop_assert_eq!(ty.compare(&a, &b), ty.compare(&b, &a).reverse());
                prop_assert_eq!(ty.compare(&a, &b).is_eq(), a == b);
                let mut sorted = [a.as_str(), &b, &c];
                ty.sort(&mut sorted);
                prop_assert!(ty.compare(sorted[0], sorted[1]).is_le());
                prop_assert!(ty.compare(sorted[1], sorted[2]).is_le());
                prop_assert!(ty.compare(sorted[0], sorted[2]).is_le());
            }
        }

        #[test]
        fn integers_compare_like_integers(a in any::<i64>(), b in any::<i64>()) {
            prop_assert_eq!(ValueType::Integer.compare(&a.to_string(), &b.to_string()), a.cmp(&b));
            prop_assert_eq!(ValueType::Decimal.compare(&a.to_string(), &b.to_string()), a.cmp(&b));
        }
    }
}
