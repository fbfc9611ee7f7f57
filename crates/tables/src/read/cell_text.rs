//! A typed cell as text.
//!
//! Numbers are written plainly: no exponent, no trailing zeros behind the point, no negative zero; floats with the fewest digits
//! that read back as the same number. Dates are `2024-03-09`, instants `2024-03-09T14:05:00` with a fraction of the second if
//! there is one; an instant with a time zone is shown in UTC with a `Z`, whatever zone is noted beside it.

use std::fmt::Display;
use std::io::Write;

use arrow::datatypes::TimeUnit;

use crate::civil;

/// What is wrong with a cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    NotFinite,
    NotUtf8,
    Nul,
    DateOutOfRange,
    TooLarge,
    /// Not a cell: the column's type.
    Type,
    Damaged,
}

impl From<civil::OutOfRange> for Wrong {
    fn from(_: civil::OutOfRange) -> Self {
        Self::DateOutOfRange
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

pub(super) fn show(value: impl Display, out: &mut Vec<u8>) -> Result<(), Wrong> {
    write!(out, "{value}").map_err(|_| Wrong::Damaged)
}

pub(super) fn float<F: Display + Copy + Into<f64>>(value: F, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let wide: f64 = value.into();
    match wide {
        _ if !wide.is_finite() => Err(Wrong::NotFinite),
        // Negative zero is zero.
        0.0 => show(0, out),
        _ => show(value, out),
    }
}

/// An unscaled number with the point `scale` digits from its right.
pub(super) fn decimal(unscaled: &str, scale: i8, out: &mut Vec<u8>) {
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    if digits == "0" {
        return out.push(b'0');
    }
    out.extend_from_slice(sign.as_bytes());
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        out.extend_from_slice(digits.as_bytes());
        return out.extend(std::iter::repeat_n(b'0', places));
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    out.extend_from_slice(whole.as_bytes());
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction.as_bytes());
    }
}

pub(super) fn time(value: i64, unit: TimeUnit, out: &mut Vec<u8>) -> Result<(), Wrong> {
    let per_second = per_second(unit);
    let second = value.div_euclid(per_second);
    if !(0..86_400).contains(&second) {
        return Err(Wrong::DateOutOfRange);
    }
    civil::write_time(second, value.rem_euclid(per_second) * (1_000_000_000 / per_second), out);
    Ok(())
}

pub(super) fn date(days: i64, out: &mut Vec<u8>) -> Result<(), Wrong> {
    Ok(civil::write_date(days, out)?)
}

pub(super) fn instant(value: i64, unit: TimeUnit, zoned: bool, out: &mut Vec<u8>) -> Result<(), Wrong> {
    civil::write_datetime(value, per_second(unit), out)?;
    if zoned {
        out.push(b'Z');
    }
    Ok(())
}

/// Plain text has no NUL, and delimited text could not be read again with one.
pub(super) fn text(value: &[u8], out: &mut Vec<u8>) -> Result<(), Wrong> {
    if value.contains(&0) {
        return Err(Wrong::Nul);
    }
    out.extend_from_slice(value);
    Ok(())
}

pub(super) fn binary(value: &[u8], out: &mut Vec<u8>) -> Result<(), Wrong> {
    match std::str::from_utf8(value) {
        Ok(_) => text(value, out),
        Err(_) => Err(Wrong::NotUtf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_plainly() {
        for (unscaled, scale, expected) in [
            ("150", 2, "1.5"),
            ("-5", 2, "-0.05"),
            ("0", 3, "0"),
            ("200", 2, "2"),
            ("7", 0, "7"),
            ("7", -2, "700"),
            ("-12345", 4, "-1.2345"),
        ] {
            let mut out = Vec::new();
            decimal(unscaled, scale, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn floats_are_written_plainly() {
        for (value, expected) in
            [(1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e21, "1000000000000000000000"), (1e-7, "0.0000001")]
        {
            let mut out = Vec::new();
            float(value, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        assert_eq!(float(f64::NAN, &mut Vec::new()), Err(Wrong::NotFinite));
        let mut out = Vec::new();
        float(0.1_f32, &mut out).unwrap();
        assert_eq!(out, b"0.1");
    }
}
