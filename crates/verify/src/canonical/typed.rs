//! The cells of a column as the typed values that columnar files hold.
//!
//! A type is used only where every cell reads back as the very same text: `007` is no number here and `1.50` no decimal.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Int64Array, StringBuilder,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, TimeUnit};

use crate::calendar;
use crate::data::Column;
use crate::decimal::Decimal;
use crate::types::Type;

/// Most digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;

/// By code; the missing value is `None`.
pub(super) enum Cells<'a> {
    Text(&'a Column),
    Integer(Vec<Option<i64>>),
    Decimal { values: Vec<Option<i128>>, precision: u8, scale: i8 },
    Date(Vec<Option<i32>>),
    DateTime(Vec<Option<i64>>),
    Boolean(Vec<Option<bool>>),
}

impl<'a> Cells<'a> {
    pub(super) fn of(column: &'a Column, kind: Type) -> Cells<'a> {
        let typed = match kind {
            Type::String => None,
            Type::Integer => all(column, integer).map(Cells::Integer),
            Type::Decimal => decimals(column),
            Type::Date => all(column, |text| i32::try_from(calendar::days(text)?).ok()).map(Cells::Date),
            Type::DateTime => all(column, calendar::microseconds).map(Cells::DateTime),
            Type::Boolean => all(column, |text| text.parse().ok()).map(Cells::Boolean),
        };
        typed.unwrap_or(Cells::Text(column))
    }

    pub(super) fn data_type(&self) -> DataType {
        match self {
            Cells::Text(_) => DataType::Utf8,
            Cells::Integer(_) => DataType::Int64,
            &Cells::Decimal { precision, scale, .. } => DataType::Decimal128(precision, scale),
            Cells::Date(_) => DataType::Date32,
            Cells::DateTime(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
            Cells::Boolean(_) => DataType::Boolean,
        }
    }

    /// Bytes of the longest cell.
    pub(super) fn widest(&self) -> usize {
        match self {
            Cells::Text(column) => (1..column.codes_in_use() as u32)
                .filter_map(|code| column.text(code))
                .map(str::len)
                .max()
                .unwrap_or(0),
            _ => 16,
        }
    }

    /// The cells of some rows.
    pub(super) fn array(&self, codes: &[u32]) -> ArrayRef {
        match self {
            Cells::Text(column) => {
                let mut builder = StringBuilder::new();
                codes.iter().for_each(|&code| builder.append_option(column.text(code)));
                Arc::new(builder.finish())
            }
            Cells::Integer(values) => Arc::new(at(values, codes).collect::<Int64Array>()),
            Cells::Decimal { values, precision, scale } => {
                let array: Decimal128Array = at(values, codes).collect();
                Arc::new(array.with_data_type(DataType::Decimal128(*precision, *scale)))
            }
            Cells::Date(values) => Arc::new(at(values, codes).collect::<Date32Array>()),
            Cells::DateTime(values) => Arc::new(at(values, codes).collect::<TimestampMicrosecondArray>()),
            Cells::Boolean(values) => Arc::new(at(values, codes).collect::<BooleanArray>()),
        }
    }
}

fn at<T: Copy>(values: &[Option<T>], codes: &[u32]) -> impl Iterator<Item = Option<T>> {
    codes.iter().map(|&code| values[code as usize])
}

/// The value of every code; `None` if a text is none.
fn all<T>(column: &Column, value: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
    (0..column.codes_in_use() as u32)
        .map(|code| match column.text(code) {
            Some(text) => value(text).map(Some),
            None => Some(None),
        })
        .collect()
}

fn integer(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}

/// Exact decimals with as many digits as the cells need, in front of the point and behind it.
fn decimals(column: &Column) -> Option<Cells<'static>> {
    let numbers: Vec<Option<Decimal>> =
        all(column, |text| Decimal::parse(text).filter(|number| number.to_string() == text))?;
    let scale = numbers.iter().flatten().map(Decimal::scale).max().unwrap_or(0);
    let texts = (0..column.codes_in_use() as u32).filter_map(|code| column.text(code));
    let whole_digits = |text: &str| text.trim_start_matches('-').split('.').next().map_or(0, str::len);
    let whole = texts.map(whole_digits).max().unwrap_or(1);
    let precision =
        u8::try_from(whole + scale).ok().filter(|&digits| usize::from(digits) <= DECIMAL_DIGITS)?;
    let values = numbers
        .iter()
        .map(|number| match number {
            Some(number) => i128::try_from(number.scaled_to(scale)?).ok().map(Some),
            None => Some(None),
        })
        .collect::<Option<_>>()?;
    Some(Cells::Decimal { values, precision, scale: i8::try_from(scale).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_type(kind: Type, cells: &[&str]) -> DataType {
        let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(*cell)).chain([None]).collect();
        Cells::of(&Column::of("x", &cells), kind).data_type()
    }

    #[test]
    fn cells_that_would_change_stay_text() {
        use Type::*;
        for (kind, cells, expected) in [
            (Integer, &["1", "-2"][..], DataType::Int64),
            (Integer, &["007"], DataType::Utf8),
            (Integer, &["+1"], DataType::Utf8),
            (Decimal, &["1.5", "2", "-0.25"], DataType::Decimal128(3, 2)),
            (Decimal, &["1.50"], DataType::Utf8),
            (Decimal, &["-0"], DataType::Utf8),
            (Decimal, &["1."], DataType::Utf8),
            (Decimal, &[".5"], DataType::Utf8),
            (Decimal, &["1e3"], DataType::Utf8),
            (Date, &["2024-02-29"], DataType::Date32),
            (Date, &["2023-02-29"], DataType::Utf8),
            (DateTime, &["2024-03-09T14:05:00.25"], DataType::Timestamp(TimeUnit::Microsecond, None)),
            (DateTime, &["2024-03-09T14:05:00.250"], DataType::Utf8),
            (DateTime, &["2024-03-09T14:05"], DataType::Utf8),
            (Boolean, &["true", "false"], DataType::Boolean),
            (Boolean, &["True"], DataType::Utf8),
            (String, &["1"], DataType::Utf8),
        ] {
            assert_eq!(data_type(kind, cells), expected, "{kind:?} {cells:?}");
        }
    }
}
