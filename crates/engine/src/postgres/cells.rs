//! Cells in PostgreSQL's binary form, as Arrow columns.
//!
//! No text of the server is taken over where a type has a value: dates and numbers are spelled by the reader that spells them for files.
//! What PostgreSQL holds to be equal becomes one cell: `1.50` and `1.5`, `-0` and `0`, and texts of a `char(n)` without their padding.

use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int16Builder,
    Int32Builder, Int64Builder, StringBuilder, Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::datatypes::{DataType, TimeUnit};
use paravent_tables::engine::EngineError;

/// Days from 1970 to 2000, where PostgreSQL's calendar starts.
const DAYS: i32 = 10_957;
const MICROS: i64 = DAYS as i64 * 86_400_000_000;

/// The types that are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Numeric,
    /// `text`, `varchar` and enumerations.
    Text,
    /// An enumeration: shown as text, but without a collation.
    Enumeration,
    /// `char(n)`: blanks at the end say nothing.
    Padded,
    Date,
    Timestamp,
    Instant,
    Time,
    Uuid,
}

impl Kind {
    /// By the number of the type in the catalogue; `None`: not one of these.
    pub(super) fn of(oid: u32) -> Option<Kind> {
        Some(match oid {
            16 => Kind::Boolean,
            21 => Kind::Int16,
            23 => Kind::Int32,
            20 => Kind::Int64,
            700 => Kind::Float32,
            701 => Kind::Float64,
            1700 => Kind::Numeric,
            25 | 1043 | 19 => Kind::Text,
            1042 => Kind::Padded,
            1082 => Kind::Date,
            1114 => Kind::Timestamp,
            1184 => Kind::Instant,
            1083 => Kind::Time,
            2950 => Kind::Uuid,
            _ => return None,
        })
    }

    /// The type as cells arrive.
    pub(super) fn data_type(self) -> DataType {
        match self {
            Kind::Boolean => DataType::Boolean,
            Kind::Int16 => DataType::Int16,
            Kind::Int32 => DataType::Int32,
            Kind::Int64 => DataType::Int64,
            Kind::Float32 => DataType::Float32,
            Kind::Float64 => DataType::Float64,
            Kind::Numeric | Kind::Text | Kind::Enumeration | Kind::Padded | Kind::Uuid => DataType::Utf8,
            Kind::Date => DataType::Date32,
            Kind::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Kind::Time => DataType::Time64(TimeUnit::Microsecond),
        }
    }

    /// Whether a collation may hold different texts to be equal.
    pub(super) fn has_collation(self) -> bool {
        matches!(self, Kind::Text | Kind::Padded)
    }

    pub(super) fn column(self) -> Column {
        let cells: Box<dyn ArrayBuilder> = match self {
            Kind::Boolean => Box::new(BooleanBuilder::new()),
            Kind::Int16 => Box::new(Int16Builder::new()),
            Kind::Int32 => Box::new(Int32Builder::new()),
            Kind::Int64 => Box::new(Int64Builder::new()),
            Kind::Float32 => Box::new(Float32Builder::new()),
            Kind::Float64 => Box::new(Float64Builder::new()),
            Kind::Numeric | Kind::Text | Kind::Enumeration | Kind::Padded | Kind::Uuid => {
                Box::new(StringBuilder::new())
            }
            Kind::Date => Box::new(Date32Builder::new()),
            Kind::Timestamp => Box::new(TimestampMicrosecondBuilder::new()),
            Kind::Instant => Box::new(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
            Kind::Time => Box::new(Time64MicrosecondBuilder::new()),
        };
        Column { kind: self, cells }
    }
}

/// A column in the making.
pub(super) struct Column {
    kind: Kind,
    cells: Box<dyn ArrayBuilder>,
}

/// What is wrong with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// Not the bytes of its type.
    Garbled,
    /// NaN or infinite.
    NotFinite,
}

impl Wrong {
    pub(super) fn error(self, column: &str) -> EngineError {
        match self {
            Wrong::Garbled => EngineError::Garbled("(a cell has other bytes than its type)"),
            Wrong::NotFinite => EngineError::NotFinite { column: column.to_owned() },
        }
    }
}

/// Appends to the builder of a type.
macro_rules! put {
    ($column:expr, $builder:ty, $value:expr) => {{
        let builder = $column.cells.as_any_mut().downcast_mut::<$builder>().ok_or(Wrong::Garbled)?;
        builder.append_option($value);
    }};
}

impl Column {
    pub(super) fn push(&mut self, cell: Option<&[u8]>) -> Result<(), Wrong> {
        match self.kind {
            Kind::Boolean => {
                let value = cell.map(fixed::<1>).transpose()?.map(|byte| byte != [0]);
                put!(self, BooleanBuilder, value);
            }
            Kind::Int16 => put!(self, Int16Builder, cell.map(fixed).transpose()?.map(i16::from_be_bytes)),
            Kind::Int32 => put!(self, Int32Builder, cell.map(fixed).transpose()?.map(i32::from_be_bytes)),
            Kind::Int64 => put!(self, Int64Builder, cell.map(fixed).transpose()?.map(i64::from_be_bytes)),
            Kind::Float32 => put!(self, Float32Builder, cell.map(fixed).transpose()?.map(f32::from_be_bytes)),
            Kind::Float64 => put!(self, Float64Builder, cell.map(fixed).transpose()?.map(f64::from_be_bytes)),
            Kind::Numeric => put!(self, StringBuilder, cell.map(numeric).transpose()?),
            Kind::Text | Kind::Enumeration => put!(self, StringBuilder, cell.map(text).transpose()?),
            Kind::Padded => {
                put!(self, StringBuilder, cell.map(text).transpose()?.map(|text| text.trim_end_matches(' ')))
            }
            Kind::Uuid => put!(self, StringBuilder, cell.map(uuid).transpose()?),
            Kind::Date => {
                let days = cell.map(fixed).transpose()?.map(i32::from_be_bytes);
                put!(self, Date32Builder, days.map(|days| days.saturating_add(DAYS)));
            }
            Kind::Timestamp | Kind::Instant => {
                let micros = cell.map(fixed).transpose()?.map(i64::from_be_bytes);
                put!(self, TimestampMicrosecondBuilder, micros.map(|micros| micros.saturating_add(MICROS)));
            }
            Kind::Time => {
                put!(self, Time64MicrosecondBuilder, cell.map(fixed).transpose()?.map(i64::from_be_bytes))
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        self.cells.finish()
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Wrong> {
    bytes.try_into().map_err(|_| Wrong::Garbled)
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|_| Wrong::Garbled)
}

fn uuid(bytes: &[u8]) -> Result<String, Wrong> {
    let digits = hex::encode(fixed::<16>(bytes)?);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}

/// Digits to the base of 10,000, the place of the first, and a sign; written plainly.
fn numeric(bytes: &[u8]) -> Result<String, Wrong> {
    let words: Vec<u16> =
        bytes.chunks(2).map(|pair| fixed(pair).map(u16::from_be_bytes)).collect::<Result<_, _>>()?;
    let [count, weight, sign, _scale, digits @ ..] = words.as_slice() else { return Err(Wrong::Garbled) };
    if !matches!(sign, 0 | 0x4000) {
        return Err(Wrong::NotFinite);
    }
    if digits.len() != usize::from(*count) || digits.iter().any(|digit| *digit > 9999) {
        return Err(Wrong::Garbled);
    }
    let weight = i32::from(*weight as i16);
    let at = |place: i32| {
        let index = usize::try_from(weight - place).ok();
        index.and_then(|index| digits.get(index)).copied().unwrap_or(0)
    };
    let mut whole: String = (0..=weight.max(0)).rev().map(|place| format!("{:04}", at(place))).collect();
    whole.drain(..whole.len() - whole.trim_start_matches('0').len().max(1));
    let last = weight - i32::from(*count) + 1;
    let fraction: String = (last.min(0)..0).rev().map(|place| format!("{:04}", at(place))).collect();
    let fraction = fraction.trim_end_matches('0');
    let sign = if *sign == 0x4000 && digits.iter().any(|digit| *digit != 0) { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(format!("{sign}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(weight: i16, sign: u16, digits: &[u16]) -> Result<String, Wrong> {
        let mut bytes = Vec::new();
        for word in [digits.len() as u16, weight as u16, sign, 2].iter().chain(digits) {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        numeric(&bytes)
    }

    #[test]
    fn numbers_are_written_plainly() {
        for (weight, sign, digits, expected) in [
            (0, 0, &[1, 5000][..], "1.5"),
            (0, 0, &[], "0"),
            (0, 0x4000, &[], "0"),
            (-1, 0x4000, &[500], "-0.05"),
            (-2, 0, &[1], "0.00000001"),
            (1, 0, &[1, 2], "10002"),
            (1, 0, &[12], "120000"),
            (2, 0, &[1, 0, 34, 5600], "100000034.56"),
        ] {
            assert_eq!(number(weight, sign, digits).unwrap(), expected);
        }
        assert_eq!(number(0, 0xC000, &[]), Err(Wrong::NotFinite));
        assert_eq!(numeric(&[0, 1, 0]), Err(Wrong::Garbled));
    }
}
