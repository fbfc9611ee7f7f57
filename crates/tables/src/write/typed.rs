//! Released cells as typed values.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Int64Array, StringBuilder,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, TimeUnit};

use super::table::{ColumnKind, ReleasedColumn};
use crate::civil;

/// Most digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;

/// The distinct cells of a column, each parsed once. A type is used only if every cell reads back as the text it was: `007` is
/// no number and `1.50` no decimal here, so that two texts never become one value.
#[derive(Debug)]
pub(super) enum TypedCells<'a> {
    Text(&'a [Option<String>]),
    Integer(Vec<Option<i64>>),
    Decimal { values: Vec<Option<i128>>, precision: u8, scale: i8 },
    Date(Vec<Option<i32>>),
    DateTime(Vec<Option<i64>>),
    Boolean(Vec<Option<bool>>),
}

impl<'a> TypedCells<'a> {
    pub(super) fn of(column: &'a ReleasedColumn) -> Self {
        let cells = &column.cells;
        let typed = match column.kind {
            ColumnKind::Text => None,
            ColumnKind::Integer => parse_all(cells, integer).map(Self::Integer),
            ColumnKind::Decimal => decimals(cells),
            ColumnKind::Date => {
                parse_all(cells, |text| civil::parse_date(text)?.try_into().ok()).map(Self::Date)
            }
            ColumnKind::DateTime => parse_all(cells, civil::parse_datetime).map(Self::DateTime),
            ColumnKind::Boolean => parse_all(cells, |text| text.parse().ok()).map(Self::Boolean),
        };
        typed.unwrap_or(Self::Text(cells))
    }

    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Integer(_) => DataType::Int64,
            &Self::Decimal { precision, scale, .. } => DataType::Decimal128(precision, scale),
            Self::Date(_) => DataType::Date32,
            Self::DateTime(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Boolean(_) => DataType::Boolean,
        }
    }

    /// The cells of some rows, in memory of their own.
    pub(super) fn array(&self, codes: &[u32]) -> ArrayRef {
        match self {
            Self::Text(cells) => {
                let mut builder = StringBuilder::new();
                for &code in codes {
                    builder.append_option(cells[code as usize].as_deref());
                }
                Arc::new(builder.finish())
            }
            Self::Integer(values) => Arc::new(gather(values, codes).collect::<Int64Array>()),
            Self::Decimal { values, precision, scale } => {
                let array: Decimal128Array = gather(values, codes).collect();
                Arc::new(array.with_data_type(DataType::Decimal128(*precision, *scale)))
            }
            Self::Date(values) => Arc::new(gather(values, codes).collect::<Date32Array>()),
            Self::DateTime(values) => Arc::new(gather(values, codes).collect::<TimestampMicrosecondArray>()),
            Self::Boolean(values) => Arc::new(gather(values, codes).collect::<BooleanArray>()),
        }
    }

    /// Bytes of the largest cell.
    pub(super) fn widest(&self) -> usize {
        match self {
            Self::Text(cells) => cells.iter().flatten().map(String::len).max().unwrap_or(0),
            _ => 16,
        }
    }
}

fn gather<T: Copy>(values: &[Option<T>], codes: &[u32]) -> impl Iterator<Item = Option<T>> {
    codes.iter().map(|&code| values[code as usize])
}

/// `None` if a cell does not parse.
fn parse_all<T>(cells: &[Option<String>], parse: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
    cells
        .iter()
        .map(|cell| match cell {
            Some(text) => parse(text).map(Some),
            None => Some(None),
        })
        .collect()
}

fn integer(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    (value.to_string() == text).then_some(value)
}

/// Sign, whole part and fraction of a number in its shortest plain form.
fn decimal(text: &str) -> Option<(&str, &str, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (digits, ""),
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let plain = !whole.is_empty()
        && all_digits(whole)
        && all_digits(fraction)
        && (whole == "0" || !whole.starts_with('0'))
        && !fraction.ends_with('0')
        && !(sign == "-" && whole == "0" && fraction.is_empty());
    plain.then_some((sign, whole, fraction))
}

fn decimals(cells: &[Option<String>]) -> Option<TypedCells<'_>> {
    let parts: Vec<Option<(&str, &str, &str)>> = cells
        .iter()
        .map(|cell| cell.as_deref().map_or(Some(None), |text| decimal(text).map(Some)))
        .collect::<Option<_>>()?;
    let scale = parts.iter().flatten().map(|(_, _, fraction)| fraction.len()).max().unwrap_or(0);
    let whole = parts.iter().flatten().map(|(_, whole, _)| whole.len()).max().unwrap_or(1);
    let precision = whole + scale;
    if precision > DECIMAL_DIGITS {
        return None;
    }
    let unscaled = |(sign, whole, fraction): (&str, &str, &str)| {
        format!("{sign}{whole}{fraction:0<scale$}").parse().ok()
    };
    let values = parts
        .into_iter()
        .map(|part| part.map_or(Some(None), |part| unscaled(part).map(Some)))
        .collect::<Option<_>>()?;
    Some(TypedCells::Decimal { values, precision: precision as u8, scale: scale as i8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_type(kind: ColumnKind, cells: &[&str]) -> DataType {
        let cells = cells.iter().map(|cell| Some(cell.to_string())).chain([None]).collect();
        TypedCells::of(&ReleasedColumn { name: "x".into(), kind, cells }).data_type()
    }

    #[test]
    fn cells_that_would_change_stay_text() {
        use ColumnKind::*;
        for (kind, cells, expected) in [
            (Integer, &["1", "-2"][..], DataType::Int64),
            (Integer, &["007"], DataType::Utf8),
            (Integer, &["+1"], DataType::Utf8),
            (Integer, &["9223372036854775808"], DataType::Utf8),
            (Integer, &["20-39"], DataType::Utf8),
            (Decimal, &["1.5", "2", "-0.25"], DataType::Decimal128(3, 2)),
            (Decimal, &["1.50"], DataType::Utf8),
            (Decimal, &["-0"], DataType::Utf8),
            (Decimal, &["1."], DataType::Utf8),
            (Decimal, &[".5"], DataType::Utf8),
            (Decimal, &["1e3"], DataType::Utf8),
            (Decimal, &["99999999999999999999999999999999999999"], DataType::Decimal128(38, 0)),
            (Decimal, &["99999999999999999999999999999999999999", "0.1"], DataType::Utf8),
            (Date, &["2024-02-29"], DataType::Date32),
            (Date, &["2023-02-29"], DataType::Utf8),
            (Date, &["2024-03"], DataType::Utf8),
            (
                DateTime,
                &["2024-03-09T14:05:00", "2024-03-09T14:05:00.25"],
                DataType::Timestamp(TimeUnit::Microsecond, None),
            ),
            (DateTime, &["2024-03-09T14:05:00.000"], DataType::Utf8),
            (DateTime, &["2024-03-09T14:05"], DataType::Utf8),
            (Boolean, &["true", "false"], DataType::Boolean),
            (Boolean, &["True"], DataType::Utf8),
            (Text, &["1"], DataType::Utf8),
        ] {
            assert_eq!(data_type(kind, cells), expected, "{kind:?} {cells:?}");
        }
    }
}
