//! The types of columns that came as text.
//!
//! A column of text becomes a column of numbers or dates only where writing each value gives the very text it came from: `007` and `+1` stay text, so that
//! nothing is lost and hierarchies still find their values.

use datafusion::arrow::array::{ArrayRef, AsArray, StringArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::DataType;

/// What all cells of a column have in common so far.
#[derive(Debug, Clone)]
pub(super) struct Common {
    seen: bool,
    integer: bool,
    date: bool,
    number: bool,
    /// Digits after the point, if all cells have the same.
    scale: Scale,
    /// Most digits in all.
    digits: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    Open,
    All(usize),
    Mixed,
}

impl Default for Common {
    fn default() -> Common {
        Common { seen: false, integer: true, date: true, number: true, scale: Scale::Open, digits: 0 }
    }
}

impl Common {
    /// Takes in one cell that is there.
    pub(super) fn take(&mut self, cell: &str) {
        self.seen = true;
        self.date = self.date && is_date(cell);
        if !self.number {
            return;
        }
        let Some((whole, fraction)) = number(cell) else {
            (self.number, self.integer) = (false, false);
            return;
        };
        self.integer = self.integer && fraction == 0 && cell.parse::<i64>().is_ok();
        self.digits = self.digits.max(whole + fraction);
        self.scale = match self.scale {
            Scale::Open => Scale::All(fraction),
            Scale::All(scale) if scale == fraction => self.scale,
            Scale::All(_) | Scale::Mixed => Scale::Mixed,
        };
    }

    /// The narrowest type that all cells have.
    pub(super) fn data_type(&self) -> DataType {
        match (self.seen, self.scale) {
            (false, _) => DataType::Utf8,
            _ if self.integer => DataType::Int64,
            (true, Scale::All(scale)) if self.number && scale > 0 && self.digits <= 18 => {
                DataType::Decimal128(18, i8::try_from(scale).unwrap_or(18))
            }
            (true, Scale::Mixed) if self.number && self.digits <= 15 => DataType::Float64,
            _ if self.date => DataType::Date32,
            _ => DataType::Utf8,
        }
    }
}

/// A plain decimal number without needless zeros in front: its digits before and after the point.
fn number(cell: &str) -> Option<(usize, usize)> {
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (unsigned, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let plain =
        !whole.is_empty() && digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'));
    let minus_zero = unsigned.len() < cell.len() && unsigned.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    (plain && !minus_zero).then_some((whole.len(), fraction.len()))
}

/// `2024-03-09`; whether the month has that day is seen when it is converted.
fn is_date(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    let shape = |(place, byte): (usize, &u8)| match place {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    bytes.len() == 10 && bytes.iter().enumerate().all(shape)
}

/// The column in that type, if every cell can be converted and gives its text again.
pub(super) fn converted(text: &StringArray, to: &DataType) -> Option<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let typed = cast_with_options(text, to, &strict).ok()?;
    if matches!(to, DataType::Float64) {
        return Some(typed);
    }
    let again = cast_with_options(&typed, &DataType::Utf8, &strict).ok()?;
    (again.as_string::<i32>() == text).then_some(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_of(cells: &[&str]) -> DataType {
        let mut common = Common::default();
        cells.iter().for_each(|cell| common.take(cell));
        common.data_type()
    }

    #[test]
    fn numbers_are_numbers_only_if_their_text_comes_back() {
        assert_eq!(type_of(&["1", "-20", "0"]), DataType::Int64);
        assert_eq!(type_of(&["81667", "08123"]), DataType::Utf8);
        assert_eq!(type_of(&["1", "+2"]), DataType::Utf8);
        assert_eq!(type_of(&["-0"]), DataType::Utf8);
        assert_eq!(type_of(&["1.50", "22.00"]), DataType::Decimal128(18, 2));
        assert_eq!(type_of(&["1.5", "2"]), DataType::Float64);
        assert_eq!(type_of(&["99999999999999999999"]), DataType::Utf8);
        assert_eq!(type_of(&["1e5"]), DataType::Utf8);
        assert_eq!(type_of(&["."]), DataType::Utf8);
        assert_eq!(type_of(&["2024-03-09"]), DataType::Date32);
        assert_eq!(type_of(&["2024-03-09", "9.3.2024"]), DataType::Utf8);
        assert_eq!(type_of(&[]), DataType::Utf8);
    }

    #[test]
    fn what_cannot_be_converted_back_is_left_alone() {
        let texts = StringArray::from(vec![Some("2024-02-30"), None]);
        assert!(converted(&texts, &DataType::Date32).is_none());
        let texts = StringArray::from(vec![Some("1.50"), None]);
        assert!(converted(&texts, &DataType::Decimal128(18, 2)).is_some());
    }
}
