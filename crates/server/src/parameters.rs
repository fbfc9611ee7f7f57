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
        oid::NUMERIC => of_numeric(bytes)?,
        oid::DATE => of_days(i32::from_be_bytes(bytes.try_into().ok()?))?,
        0 | oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME | oid::CHAR | oid::UNKNOWN => {
            std::str::from_utf8(bytes).ok()?.to_owned()
        }
        _ => return None,
    })
}

/// A number in groups of four digits, without an exponent. What is no number (NaN, infinities) is none here either.
fn of_numeric(bytes: &[u8]) -> Option<String> {
    let word = |place: usize| {
        let pair: [u8; 2] = bytes.get(place * 2..place * 2 + 2)?.try_into().ok()?;
        Some(i16::from_be_bytes(pair))
    };
    let (count, weight, sign, scale) =
        (usize::try_from(word(0)?).ok()?, word(1)?, word(2)?, usize::try_from(word(3)?).ok()?);
    if bytes.len() != 8 + count * 2 || weight.unsigned_abs() > MOST_GROUPS {
        return None;
    }
    let sign = match sign {
        0 => "",
        0x4000 => "-",
        _ => return None,
    };
    // The digits of the group of this weight; groups beyond those that were sent are zero.
    let group = |own: i16| -> Option<String> {
        let digits = match usize::try_from(weight - own) {
            Ok(place) if place < count => word(4 + place)?,
            _ => 0,
        };
        (0..10_000).contains(&digits).then(|| format!("{digits:04}"))
    };
    let whole = (0..=weight).rev().map(group).collect::<Option<String>>()?;
    let whole = whole.trim_start_matches('0');
    let groups =
        i16::try_from(scale.div_ceil(4)).ok().filter(|groups| groups.unsigned_abs() <= MOST_GROUPS)?;
    let mut fraction = (1..=groups).map(|own| group(-own)).collect::<Option<String>>()?;
    fraction.truncate(scale);
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

/// More than the digits of any column.
const MOST_GROUPS: u16 = 64;

/// A date, from days since 2000-01-01 in the Gregorian calendar. Years 1 to 9999.
fn of_days(days: i32) -> Option<String> {
    // Days since 0000-03-01: a year that begins in March has its leap day at its end.
    let days = i64::from(days) + 730_425;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + later;
    (1..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{of_month:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .filter_map(|place| u8::from_str_radix(&hex[place..place + 2], 16).ok())
            .collect()
    }

    #[test]
    fn numbers_of_clients_are_read_as_they_were_sent() {
        for (hex, text) in [
            ("0000000000000000", "0"),
            ("00010000000000000001", "1"),
            ("0003000140000003000109291a7c", "-12345.678"),
            ("0001ffff000000040001", "0.0001"),
            ("00010001000000000001", "10000"),
            ("000200000000000200011388", "1.50"),
        ] {
            assert_eq!(of_numeric(&bytes(hex)).as_deref(), Some(text));
        }
        // NaN, a group that is no group, a number that is shorter or far longer than it says.
        for hex in ["00000000c0000000", "00010000000000002710", "000100000000", "00017fff000000000001"] {
            assert_eq!(of_numeric(&bytes(hex)), None, "{hex}");
        }
    }

    #[test]
    fn dates_of_clients_are_days_of_the_calendar() {
        for (days, text) in [
            (0, "2000-01-01"),
            (59, "2000-02-29"),
            (-1, "1999-12-31"),
            (9_817, "2026-11-17"),
            (-730_119, "0001-01-01"),
        ] {
            assert_eq!(of_days(days).as_deref(), Some(text));
        }
        assert_eq!((of_days(i32::MIN), of_days(i32::MAX)), (None, None));
    }
}
