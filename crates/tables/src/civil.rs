//! Calendar dates as text and as numbers of days: the proleptic Gregorian calendar, years 0000 to 9999.
//!
//! Hinnant, "chrono-compatible low-level date algorithms", 2013.

use std::io::Write;

const SECONDS_PER_DAY: i64 = 86_400;

/// The year has not four digits.
#[derive(Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Appends `2024-03-09`.
pub fn write_date(days: i64, out: &mut Vec<u8>) -> Result<(), OutOfRange> {
    // Keeps the arithmetic below from overflowing.
    if !(-1_000_000..=3_000_000).contains(&days) {
        return Err(OutOfRange);
    }
    let shifted = days + 719_468; // from 0000-03-01 on
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if !(0..=9999).contains(&year) {
        return Err(OutOfRange);
    }
    digits(year, 4, out);
    out.push(b'-');
    digits(month, 2, out);
    out.push(b'-');
    digits(day, 2, out);
    Ok(())
}

/// Appends `14:05:00`, and behind a point the digits of a fraction of a second, without trailing zeros.
pub fn write_time(second_of_day: i64, nanos: i64, out: &mut Vec<u8>) {
    digits(second_of_day / 3600, 2, out);
    out.push(b':');
    digits(second_of_day / 60 % 60, 2, out);
    out.push(b':');
    digits(second_of_day % 60, 2, out);
    if nanos > 0 {
        out.push(b'.');
        digits(nanos, 9, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Appends `2024-03-09T14:05:00`, with a fraction as [`write_time`] does. `per_second` is the unit of `instant`.
pub fn write_datetime(instant: i64, per_second: i64, out: &mut Vec<u8>) -> Result<(), OutOfRange> {
    let (seconds, fraction) = (instant.div_euclid(per_second), instant.rem_euclid(per_second));
    write_date(seconds.div_euclid(SECONDS_PER_DAY), out)?;
    out.push(b'T');
    write_time(seconds.rem_euclid(SECONDS_PER_DAY), fraction * (1_000_000_000 / per_second), out);
    Ok(())
}

/// Days since 1970-01-01 of `2024-03-09`, nothing else being a date.
pub fn parse_date(text: &str) -> Option<i64> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&bytes[..4])?, number(&bytes[5..7])?, number(&bytes[8..])?);
    if !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let shifted_year = year - i64::from(month <= 2);
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    // 30 February would come out as some day of March.
    let mut same = Vec::with_capacity(10);
    write_date(days, &mut same).ok()?;
    (same == bytes).then_some(days)
}

/// Microseconds since 1970 of `2024-03-09T14:05:00`, and up to six digits of a fraction, none of them a trailing zero.
pub fn parse_datetime(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let days = parse_date(date)?;
    let (clock, fraction) = match time.split_once('.') {
        Some((_, fraction)) if fraction.is_empty() || fraction.ends_with('0') || fraction.len() > 6 => {
            return None;
        }
        Some(parts) => parts,
        None => (time, ""),
    };
    let clock: &[u8; 8] = clock.as_bytes().try_into().ok()?;
    if clock[2] != b':' || clock[5] != b':' {
        return None;
    }
    let (hour, minute, second) = (number(&clock[..2])?, number(&clock[3..5])?, number(&clock[6..])?);
    let micros = number(fraction.as_bytes())? * 10_i64.pow(6 - fraction.len() as u32);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second) * 1_000_000 + micros)
}

fn digits(number: i64, width: usize, out: &mut Vec<u8>) {
    // Writing into memory does not fail.
    let _ = write!(out, "{number:0width$}");
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |n, byte| byte.is_ascii_digit().then(|| 10 * n + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(days: i64) -> Option<String> {
        let mut out = Vec::new();
        write_date(days, &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn known_days() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_791, "2024-03-09"),
            (11_016, "2000-02-29"),
            (-719_528, "0000-01-01"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(date(days).as_deref(), Some(text));
            assert_eq!(parse_date(text), Some(days));
        }
        assert_eq!(date(-719_529), None);
        assert_eq!(date(2_932_897), None);
        assert_eq!(date(i64::MAX), None);
    }

    #[test]
    fn every_day_of_four_centuries_is_itself() {
        for days in -80_000..70_000 {
            assert_eq!(parse_date(&date(days).unwrap()), Some(days));
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in
            ["2023-02-29", "2024-02-30", "2024-13-01", "2024-00-01", "2024-1-1", "2024-03", "+024-01-01", ""]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
        for text in [
            "2024-03-09",
            "2024-03-09T14:05",
            "2024-03-09T24:00:00",
            "2024-03-09T14:05:00.50",
            "2024-03-09T14:05:00Z",
        ] {
            assert_eq!(parse_datetime(text), None, "{text}");
        }
    }

    #[test]
    fn instants_before_1970_count_up_too() {
        let mut out = Vec::new();
        write_datetime(-1, 1_000, &mut out).unwrap();
        assert_eq!(out, b"1969-12-31T23:59:59.999");
        assert_eq!(parse_datetime("1969-12-31T23:59:59.999"), Some(-1_000));
        assert_eq!(parse_datetime("1970-01-01T00:00:01.5"), Some(1_500_000));
    }
}
