//! Dates and times as written.

use jiff::civil::Date;

/// A day of the proleptic Gregorian calendar, with the time of day if one was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) date: Date,
    pub(crate) time: Option<TimeOfDay>,
}

/// Civil time; second 60 is a leap second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimeOfDay {
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    second: u8,
    nanosecond: u32,
}

impl TimeOfDay {
    /// 0 to 60.
    pub(crate) fn second(self) -> u8 {
        self.second
    }
}

impl Moment {
    /// A date or a date with time.
    pub(crate) fn parse(text: &str) -> Option<Moment> {
        Moment::date(text).or_else(|| Moment::date_time(text))
    }

    /// `2024-03-09`, `2024/03/09`, `09.03.2024`.
    pub(crate) fn date(text: &str) -> Option<Moment> {
        let text = text.as_bytes();
        let date = match text {
            [_, _, b'.', _, _, b'.', ..] if text.len() == 10 => {
                day(number(&text[6..])?, number(&text[3..5])?, number(&text[..2])?)?
            }
            [_, _, _, _, separator @ (b'-' | b'/'), ..] => year_first(text, *separator)?,
            _ => return None,
        };
        Some(Moment { date, time: None })
    }

    /// `2024-03-09T14:05`, `2024-03-09 14:05:59.123+01:00`.
    pub(crate) fn date_time(text: &str) -> Option<Moment> {
        let (date, time) = text.as_bytes().split_at_checked(10)?;
        let (b'T' | b't' | b' ', time) = time.split_first()? else { return None };
        Some(Moment { date: year_first(date, b'-')?, time: Some(time_of_day(time)?) })
    }
}

fn year_first(text: &[u8], separator: u8) -> Option<Date> {
    if text.len() != 10 || text[4] != separator || text[7] != separator {
        return None;
    }
    day(number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?)
}

fn day(year: u32, month: u32, day: u32) -> Option<Date> {
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

fn time_of_day(text: &[u8]) -> Option<TimeOfDay> {
    let (text, offset) = match text.iter().position(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-')) {
        Some(at) => text.split_at(at),
        None => (text, &[][..]),
    };
    if !is_offset(offset) {
        return None;
    }
    let (minutes, rest) = text.split_at_checked(5)?;
    let (hour, minute) = hour_and_minute(minutes)?;
    let (second, nanosecond) = match rest {
        [] => (0, 0),
        [b':', tens, ones] => (number(&[*tens, *ones])?, 0),
        [b':', tens, ones, b'.' | b',', fraction @ ..] => (number(&[*tens, *ones])?, nanoseconds(fraction)?),
        _ => return None,
    };
    let second = u8::try_from(second).ok().filter(|second| *second <= 60)?;
    Some(TimeOfDay { hour, minute, second, nanosecond })
}

fn hour_and_minute(text: &[u8]) -> Option<(u8, u8)> {
    let [h, hh, b':', m, mm] = text else { return None };
    let (hour, minute) = (number(&[*h, *hh])?, number(&[*m, *mm])?);
    (hour < 24 && minute < 60).then_some((hour as u8, minute as u8))
}

fn nanoseconds(fraction: &[u8]) -> Option<u32> {
    let missing = 9usize.checked_sub(fraction.len())?;
    Some(number(fraction)? * 10u32.pow(missing as u32))
}

/// Nothing, `Z`, `+01`, `+0100` or `+01:00`.
fn is_offset(text: &[u8]) -> bool {
    match text {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', h, hh] => hour_and_minute(&[*h, *hh, b':', b'0', b'0']).is_some(),
        [b'+' | b'-', h, hh, m, mm] => hour_and_minute(&[*h, *hh, b':', *m, *mm]).is_some(),
        [b'+' | b'-', rest @ ..] => hour_and_minute(rest).is_some(),
        _ => false,
    }
}

/// Up to nine ASCII digits, so no overflow.
fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_not_added() {
        let plain = Moment::date_time("2024-12-31T23:30:00");
        assert!(plain.is_some());
        assert_eq!(plain, Moment::date_time("2024-12-31 23:30-11:00"));
        assert_eq!(plain, Moment::parse("2024-12-31t23:30:00.000z"));
    }

    #[test]
    fn fractions_compare_by_value() {
        let parse = |text| Moment::date_time(text).unwrap();
        assert!(parse("2024-01-01 00:00:00.5") > parse("2024-01-01 00:00:00.49"));
        assert_eq!(parse("2024-01-01 00:00:00.50"), parse("2024-01-01 00:00:00.5"));
    }
}
