//! Which type the values of a column have.

use paravent_core::values::ValueType;

use paravent_job::DataType;

/// The types that all values seen so far fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates {
    integer: bool,
    decimal: bool,
    date: bool,
    date_time: bool,
    boolean: bool,
    /// Truth values seen: `false`, `true`. A column of nothing but `f` is no truth.
    truths: [bool; 2],
    /// Something other than `0` and `1` was seen.
    beyond_bits: bool,
    any: bool,
}

impl Default for Candidates {
    fn default() -> Self {
        Self {
            integer: true,
            decimal: true,
            date: true,
            date_time: true,
            boolean: true,
            truths: [false; 2],
            beyond_bits: false,
            any: false,
        }
    }
}

impl Candidates {
    /// Takes a value into account.
    pub(super) fn see(&mut self, value: &str) {
        self.any = true;
        // `01067` is a code: as a number it would lose its zero.
        let code = is_code(value);
        self.integer = self.integer && !code && ValueType::Integer.accepts(value);
        self.decimal = self.decimal && !code && ValueType::Decimal.accepts(value);
        self.date = self.date && ValueType::Date.accepts(value);
        self.date_time = self.date_time && ValueType::DateTime.accepts(value);
        // Another spelling would not come back: `ja` would leave as `true`.
        self.boolean = self.boolean && matches!(value, "true" | "false" | "0" | "1");
        if self.boolean {
            self.truths[usize::from(!is_false(value))] = true;
            self.beyond_bits |= !matches!(value, "0" | "1");
        }
    }

    /// The narrowest type that fits; a column without values is text.
    pub(super) fn settle(&self) -> DataType {
        if !self.any {
            DataType::String
        } else if self.boolean && self.truths == [true; 2] && self.beyond_bits {
            DataType::Boolean
        } else if self.integer {
            DataType::Integer
        } else if self.decimal {
            DataType::Decimal
        } else if self.date {
            DataType::Date
        } else if self.date_time {
            DataType::DateTime
        } else {
            DataType::String
        }
    }
}

fn is_false(value: &str) -> bool {
    matches!(value, "false" | "0")
}

/// Digits with a zero in front.
fn is_code(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit()
}

/// The engine's word for a type.
pub(super) fn value_type(data_type: DataType) -> ValueType {
    match data_type {
        DataType::String => ValueType::String,
        DataType::Integer => ValueType::Integer,
        DataType::Decimal => ValueType::Decimal,
        DataType::Date => ValueType::Date,
        DataType::DateTime => ValueType::DateTime,
        DataType::Boolean => ValueType::Boolean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> DataType {
        let mut candidates = Candidates::default();
        values.iter().for_each(|value| candidates.see(value));
        candidates.settle()
    }

    #[test]
    fn the_narrowest_type_wins() {
        assert_eq!(of(&["1", "-20", "300"]), DataType::Integer);
        assert_eq!(of(&["1", "2.5", "1e3", "0.5"]), DataType::Decimal);
        assert_eq!(of(&["2024-03-09", "09.03.2024"]), DataType::Date);
        assert_eq!(of(&["2024-03-09T10:00", "2024-03-09 11:30:00"]), DataType::DateTime);
        assert_eq!(of(&["true", "false", "true"]), DataType::Boolean);
        assert_eq!(of(&["a", "1"]), DataType::String);
        assert_eq!(of(&["2024-03-09", "2024-03-09T10:00"]), DataType::String);
    }

    #[test]
    fn bits_are_numbers_and_a_lonely_letter_is_text() {
        assert_eq!(of(&["0", "1"]), DataType::Integer);
        assert_eq!(of(&["0", "1", "true"]), DataType::Boolean);
        for words in [["ja", "nein"], ["Yes", "No"], ["True", "False"], ["t", "f"]] {
            assert_eq!(of(&words), DataType::String, "{words:?}");
        }
        assert_eq!(of(&["F"]), DataType::String);
        assert_eq!(of(&["f", "m"]), DataType::String);
        assert_eq!(of(&[]), DataType::String);
        assert_eq!(of(&[""]), DataType::String);
    }

    #[test]
    fn a_leading_zero_makes_a_code() {
        assert_eq!(of(&["81667", "01067"]), DataType::String);
        assert_eq!(of(&["0", "10", "-5"]), DataType::Integer);
        assert_eq!(of(&["007.5", "1.0"]), DataType::String);
        assert_eq!(of(&["0.5", "-0.25"]), DataType::Decimal);
    }
}
