//! Rows on the wire, as text or in the binary form of their type.

use crate::fault::Fault;
use bytes::{BufMut, BytesMut};
use pgwire::messages::data::{DataRow, FieldDescription, RowDescription};

/// Numbers of types, as PostgreSQL has them.
pub(crate) mod oid {
    pub(crate) const BOOL: u32 = 16;
    pub(crate) const CHAR: u32 = 18;
    pub(crate) const NAME: u32 = 19;
    pub(crate) const INT8: u32 = 20;
    pub(crate) const INT2: u32 = 21;
    pub(crate) const INT4: u32 = 23;
    pub(crate) const TEXT: u32 = 25;
    pub(crate) const OID: u32 = 26;
    pub(crate) const JSON: u32 = 114;
    pub(crate) const FLOAT4: u32 = 700;
    pub(crate) const FLOAT8: u32 = 701;
    pub(crate) const UNKNOWN: u32 = 705;
    pub(crate) const TEXT_ARRAY: u32 = 1009;
    pub(crate) const BPCHAR: u32 = 1042;
    pub(crate) const VARCHAR: u32 = 1043;
    pub(crate) const DATE: u32 = 1082;
    pub(crate) const NUMERIC: u32 = 1700;
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) oid: u32,
}

/// An answer, finished.
#[derive(Clone, Default)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<Column>,
    /// Cells as PostgreSQL writes them; none is NULL.
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

/// Which of the two forms each column has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formats(pub(crate) Vec<i16>);

impl Formats {
    /// None: all text. One: all in it. Otherwise one each.
    pub(crate) fn of(&self, column: usize) -> i16 {
        match self.0.as_slice() {
            [] => 0,
            [all] => *all,
            each => each.get(column).copied().unwrap_or(0),
        }
    }
}

/// The columns of an answer.
pub(crate) fn description(columns: &[Column], formats: &Formats) -> RowDescription {
    let field = |(place, column): (usize, &Column)| {
        let size = match column.oid {
            oid::BOOL | oid::CHAR => 1,
            oid::INT2 => 2,
            oid::INT4 | oid::OID => 4,
            oid::INT8 | oid::FLOAT8 => 8,
            _ => -1,
        };
        FieldDescription::new(column.name.clone(), 0, 0, column.oid, size, -1, formats.of(place))
    };
    RowDescription::new(columns.iter().enumerate().map(field).collect())
}

/// A row.
pub(crate) fn row(columns: &[Column], cells: &[Option<String>], formats: &Formats) -> Result<DataRow, Fault> {
    let mut data = BytesMut::new();
    for (place, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let Some(text) = cell else {
            data.put_i32(-1);
            continue;
        };
        let binary;
        let bytes = match formats.of(place) {
            0 => text.as_bytes(),
            1 => {
                binary = in_binary(column.oid, text)
                    .ok_or_else(|| Fault::unsupported("the binary form of this type"))?;
                &binary
            }
            _ => return Err(Fault::new("22023", "a column is either text or binary")),
        };
        let length = i32::try_from(bytes.len()).map_err(|_| Fault::new("54000", "a cell is too long"))?;
        data.put_i32(length);
        data.put_slice(bytes);
    }
    let count = i16::try_from(columns.len()).map_err(|_| Fault::new("54011", "too many columns"))?;
    Ok(DataRow::new(data, count))
}

fn in_binary(oid: u32, text: &str) -> Option<Vec<u8>> {
    Some(match oid {
        oid::BOOL => vec![u8::from(text == "t")],
        oid::INT2 => text.parse::<i16>().ok()?.to_be_bytes().into(),
        oid::INT4 => text.parse::<i32>().ok()?.to_be_bytes().into(),
        oid::INT8 => text.parse::<i64>().ok()?.to_be_bytes().into(),
        oid::OID => text.parse::<u32>().ok()?.to_be_bytes().into(),
        oid::FLOAT8 => text.parse::<f64>().ok()?.to_be_bytes().into(),
        oid::NUMERIC => numeric(text)?,
        oid::TEXT_ARRAY => text_array(text)?,
        oid::TEXT | oid::VARCHAR | oid::NAME | oid::CHAR | oid::JSON | oid::UNKNOWN => {
            text.as_bytes().to_vec()
        }
        _ => return None,
    })
}

/// One dimension of texts: its head, and each text behind its length. The catalog's lists have no comma, quote or brace in an element.
fn text_array(text: &str) -> Option<Vec<u8>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let elements: Vec<&str> = if inner.is_empty() { Vec::new() } else { inner.split(',').collect() };
    let mut bytes = Vec::new();
    bytes.put_i32(i32::from(!elements.is_empty()));
    bytes.put_i32(i32::from(elements.contains(&"NULL")));
    bytes.put_u32(oid::TEXT);
    if !elements.is_empty() {
        bytes.put_i32(i32::try_from(elements.len()).ok()?);
        bytes.put_i32(1);
    }
    for element in elements {
        match element {
            "NULL" => bytes.put_i32(-1),
            element => {
                bytes.put_i32(i32::try_from(element.len()).ok()?);
                bytes.put_slice(element.as_bytes());
            }
        }
    }
    Some(bytes)
}

/// Groups of four digits, with the weight of the first, the sign and the digits after the point.
fn numeric(text: &str) -> Option<Vec<u8>> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (0x4000_u16, digits),
        None => (0, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded = format!(
        "{}{whole}{fraction}{}",
        "0".repeat((4 - whole.len() % 4) % 4),
        "0".repeat((4 - fraction.len() % 4) % 4)
    );
    let mut groups: Vec<i16> = padded
        .as_bytes()
        .chunks(4)
        .map(|group| group.iter().fold(0, |sum, digit| sum * 10 + i16::from(digit - b'0')))
        .collect();
    let mut weight = i16::try_from(whole.len().div_ceil(4)).ok()? - 1;
    while groups.last() == Some(&0) {
        groups.pop();
    }
    let leading = groups.iter().take_while(|group| **group == 0).count();
    groups.drain(..leading);
    weight = if groups.is_empty() { 0 } else { weight - i16::try_from(leading).ok()? };
    let mut bytes = Vec::new();
    bytes.put_i16(i16::try_from(groups.len()).ok()?);
    bytes.put_i16(weight);
    bytes.put_u16(if groups.is_empty() { 0 } else { sign });
    bytes.put_i16(i16::try_from(fraction.len()).ok()?);
    groups.iter().for_each(|group| bytes.put_i16(*group));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
    use super::*;

    #[test]
    fn numbers_have_the_binary_form_of_postgresql() {
        // As `SELECT numeric_send(…)` prints them.
        for (text, bytes) in [
            ("0", "0000000000000000"),
            ("1", "00010000000000000001"),
            ("-12345.678", "0003000140000003000109291a7c"),
            ("0.0001", "0001ffff000000040001"),
            ("10000", "00010001000000000001"),
            ("1.50", "000200000000000200011388"),
        ] {
            let made: String = numeric(text).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(made, bytes, "{text}");
        }
        assert_eq!((numeric("NaN"), numeric(""), numeric("1e5")), (None, None, None));
    }

    #[test]
    fn lists_of_texts_have_the_binary_form_of_postgresql() {
        // As `SELECT encode(array_send(…), 'hex')` prints them.
        for (text, bytes) in [
            ("{}", "000000000000000000000019"),
            ("{a,NULL}", "00000001000000010000001900000002000000010000000161ffffffff"),
        ] {
            let made: String = text_array(text).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(made, bytes, "{text}");
        }
        assert_eq!(text_array("no list"), None);
    }
}
