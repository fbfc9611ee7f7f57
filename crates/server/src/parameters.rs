//! Parameters of a prepared statement as text.

use crate::answer::{Formats, oid};
use crate::fault::Fault;
use bytes::Bytes;

/// The text of each parameter; NULL is none.
pub(crate) fn texts(
    parameters: &[Option<Bytes>],
    formats: &Formats,
    types: &[u32],
) -> Result<Vec<Option<String>>, Fault> {
    let text = |(place, parameter): (usize, &Option<Bytes>)| {
        let Some(bytes) = parameter else { return Ok(None) };
        let text = match formats.of(place) {
            0 => std::str::from_utf8(bytes).ok().map(str::to_owned),
            1 => of_binary(types.get(place).copied().unwrap_or(0), bytes),
            _ => None,
        };
        let text = text.filter(|text| !text.contains('\0'));
        text.map(Some)
            .ok_or_else(|| Fault::new("22P03", format!("the parameter ${} cannot be read", place + 1)))
    };
    parameters.iter().enumerate().map(text).collect()
}

fn of_binary(kind: u32, bytes: &[u8]) -> Option<String> {
    Some(match kind {
        oid::BOOL => (*bytes.first()? != 0).to_string(),
        oid::INT2 => i16::from_be_bytes(bytes.try_into().ok()?).to_string(),
        oid::INT4 => i32::from_be_bytes(bytes.try_into().ok()?).to_string(),
        oid::INT8 => i64::from_be_bytes(bytes.try_into().ok()?).to_string(),
        oid::OID => u32::from_be_bytes(bytes.try_into().ok()?).to_string(),
        oid::FLOAT4 => f32::from_be_bytes(bytes.try_into().ok()?).to_string(),
        oid::FLOAT8 => f64::from_be_bytes(bytes.try_into().ok()?).to_string(),
        0 | oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME | oid::CHAR | oid::UNKNOWN => {
            std::str::from_utf8(bytes).ok()?.to_owned()
        }
        _ => return None,
    })
}
