//! The proleptic Gregorian calendar: just enough to read and print ISO 8601 dates.

/// A reader of fixed-width ASCII fields.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn of(text: &'a str) -> Fields<'a> {
        Fields(text.as_bytes())
    }

    /// The number in the next `width` digits.
    pub(crate) fn number(&mut self, width: usize) -> Option<u32> {
        let (field, rest) = self.0.split_at_checked(width)?;
        self.0 = rest;
        field.iter().try_fold(0u32, |number, &byte| {
            byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
        })
    }

    /// Takes `text` if it comes next.
    pub(crate) fn literal(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text.as_bytes())?;
        Some(())
    }

    /// Succeeds if nothing is left.
    pub(crate) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    /// `YYYY-MM-DD`, a day that exists.
    pub(crate) fn date(&mut self) -> Option<(u32, u32, u32)> {
        self.year_first("-")
    }

    fn year_first(&mut self, separator: &str) -> Option<(u32, u32, u32)> {
        let year = self.number(4)?;
        self.literal(separator)?;
        let month = self.number(2)?;
        self.literal(separator)?;
        existing(year, month, self.number(2)?)
    }

    /// `2024-03-09`, `2024/03/09` or `09.03.2024`: the ways in which a value may be written.
    fn any_date(&mut self) -> Option<(u32, u32, u32)> {
        match self.0.get(4) {
            Some(b'-') => self.year_first("-"),
            Some(b'/') => self.year_first("/"),
            _ => {
                let day = self.number(2)?;
                self.literal(".")?;
                let month = self.number(2)?;
                self.literal(".")?;
                existing(self.number(4)?, month, day)
            }
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.0
    }
}

fn existing(year: u32, month: u32, day: u32) -> Option<(u32, u32, u32)> {
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    exists.then_some((year, month, day))
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap(year)),
        _ => 31,
    }
}

/// Weeks of an ISO year: 53 when it starts on a Thursday, or on a Wednesday and is a leap year; else 52 (ISO 8601).
pub(crate) fn iso_weeks(year: u32) -> u32 {
    // Day of the week of 31 December; 0 is Sunday.
    let last_day = |year: u32| (year + year / 4 - year / 100 + year / 400) % 7;
    let before = year.checked_sub(1).map_or(5, last_day);
    if last_day(year) == 4 || before == 3 { 53 } else { 52 }
}

/// Year, month and day of a number of days since 1970-01-01.
///
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`. `None` outside the years 0000 to 9999.
fn civil(days: i64) -> Option<(i64, i64, i64)> {
    let z = days.checked_add(719_468)?;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then_some((year, month, day))
}

/// Days from 1970-01-01 to `2024-03-09`, nothing else being a date. The other way round than [`civil`], and counted in another way.
pub(crate) fn days(text: &str) -> Option<i64> {
    let mut fields = Fields::of(text);
    let (year, month, day) = fields.date()?;
    fields.end()?;
    // Year 0 is a leap year, so are 4, 8 …, less 100, 200 …, and 400, 800 … again.
    let before =
        |year: u32| i64::from(365 * year + year.div_ceil(4) - year.div_ceil(100) + year.div_ceil(400));
    let months: u32 = (1..month).map(|month| days_in_month(year, month)).sum();
    Some(before(year) - before(1970) + i64::from(months + day - 1))
}

/// Microseconds from 1970 to `2024-03-09T14:05:00`, with up to six digits of a second behind a point, the last of them not 0.
pub(crate) fn microseconds(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut fields = Fields::of(clock);
    let hour = fields.number(2)?;
    fields.literal(":")?;
    let minute = fields.number(2)?;
    fields.literal(":")?;
    let second = fields.number(2)?;
    fields.end()?;
    let digits = (1..=6).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let needed = fraction != "0" || !time.contains('.');
    let shortest = fraction == "0" || !fraction.ends_with('0');
    if hour > 23 || minute > 59 || second > 59 || !digits || !needed || !shortest {
        return None;
    }
    let micros: i64 = format!("{fraction:0<6}").parse().ok()?;
    let seconds = days(date)? * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    Some(seconds * 1_000_000 + micros)
}

/// `2024-03-09` for a number of days since 1970-01-01.
pub(crate) fn date_text(days: i64) -> Option<String> {
    let (year, month, day) = civil(days)?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// `2024-03-09T14:05:00`, with a fraction of the second if there is one.
pub(crate) fn datetime_text(nanoseconds: i128) -> Option<String> {
    const DAY: i128 = 86_400_000_000_000;
    let date = date_text(i64::try_from(nanoseconds.div_euclid(DAY)).ok()?)?;
    let in_day = nanoseconds.rem_euclid(DAY);
    let (seconds, nanos) = (in_day / 1_000_000_000, in_day % 1_000_000_000);
    let time = format!("{date}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if nanos == 0 {
        return Some(time);
    }
    Some(format!("{time}.{}", format!("{nanos:09}").trim_end_matches('0')))
}

/// One spelling for all spellings of a date: `09.03.2024` → `2024-03-09`. `None` if the text is no date.
pub(crate) fn canonical_date(text: &str) -> Option<String> {
    let mut fields = Fields::of(text);
    let (year, month, day) = fields.any_date()?;
    fields.end()?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// One spelling for all spellings of a civil date-time: `2024-03-09 14:05` → `2024-03-09T14:05:00`.
///
/// Seconds, their fraction and an offset are optional; `T` may be a space; a date alone is its midnight.
/// Offsets other than zero stay as they are. `None` if the text is no date-time.
pub(crate) fn canonical_datetime(text: &str) -> Option<String> {
    let mut fields = Fields::of(text);
    let (year, month, day) = fields.any_date()?;
    let date = format!("{year:04}-{month:02}-{day:02}");
    if fields.end().is_some() {
        return Some(format!("{date}T00:00:00"));
    }
    fields.literal("T").or_else(|| fields.literal(" "))?;
    let hour = fields.number(2).filter(|&hour| hour < 24)?;
    fields.literal(":")?;
    let minute = fields.number(2).filter(|&minute| minute < 60)?;
    let second = match fields.literal(":") {
        Some(()) => fields.number(2).filter(|&second| second < 61)?,
        None => 0,
    };
    let mut time = format!("{date}T{hour:02}:{minute:02}:{second:02}");
    if fields.literal(".").or_else(|| fields.literal(",")).is_some() {
        let digits = fields.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let fraction =
            std::str::from_utf8(fields.rest().get(..digits)?).ok().filter(|fraction| !fraction.is_empty())?;
        fields.literal(fraction)?;
        if !fraction.trim_end_matches('0').is_empty() {
            time = format!("{time}.{}", fraction.trim_end_matches('0'));
        }
    }
    if fields.end().is_some() || fields.literal("Z").is_some() {
        fields.end()?;
        return Some(time);
    }
    let sign = if fields.literal("+").is_some() { '+' } else { fields.literal("-").map(|()| '-')? };
    let hours = fields.number(2).filter(|&hours| hours < 24)?;
    let _ = fields.literal(":");
    let minutes =
        if fields.end().is_some() { 0 } else { fields.number(2).filter(|&minutes| minutes < 60)? };
    fields.end()?;
    Some(if hours == 0 && minutes == 0 { time } else { format!("{time}{sign}{hours:02}:{minutes:02}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_printed_as_iso_dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_791, "2024-03-09"),
            (11_016, "2000-02-29"),
            (-719_528, "0000-01-01"),
        ] {
            assert_eq!(date_text(days).unwrap(), text);
        }
        for days in [i64::MIN, i64::MAX, 2_932_897, -719_529] {
            assert_eq!(date_text(days), None);
        }
    }

    #[test]
    fn days_are_counted_and_printed_alike() {
        for days in (-719_528..2_932_896).step_by(97) {
            assert_eq!(super::days(&date_text(days).unwrap()), Some(days));
        }
        for text in ["2023-02-29", "2024-3-09", "2024-03-09 ", "09.03.2024"] {
            assert_eq!(super::days(text), None);
        }
        for micros in [-1, 0, 1, 250_000, 1_710_000_000_000_000, -1_710_000_000_000_001] {
            assert_eq!(microseconds(&datetime_text(i128::from(micros) * 1000).unwrap()), Some(micros));
        }
        for text in
            ["2024-03-09T14:05", "2024-03-09T14:05:00.", "2024-03-09T14:05:00.0", "2024-03-09T24:00:00"]
        {
            assert_eq!(microseconds(text), None);
        }
    }

    #[test]
    fn instants_are_printed_with_the_fraction_they_have() {
        assert_eq!(datetime_text(0).unwrap(), "1970-01-01T00:00:00");
        assert_eq!(datetime_text(-1_500_000_000).unwrap(), "1969-12-31T23:59:58.5");
        assert_eq!(datetime_text(i128::MAX), None);
    }

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2024-02-29", "2024/02/29", "29.02.2024"] {
            assert_eq!(canonical_date(text).unwrap(), "2024-02-29");
        }
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-1-1",
            "24-01-01",
            "2024-01-01x",
            "2024-01/01",
            "1.2.2024",
            "02/29/2024",
            "",
        ] {
            assert_eq!(canonical_date(text), None);
        }
    }

    #[test]
    fn spellings_of_a_date_time_come_together() {
        for text in [
            "2024-03-09T14:05:00",
            "2024-03-09 14:05",
            "09.03.2024 14:05",
            "2024-03-09T14:05:00,0",
            "2024-03-09T14:05Z",
            "2024-03-09T14:05:00.000",
            "2024-03-09T14:05:00+00:00",
        ] {
            assert_eq!(canonical_datetime(text).unwrap(), "2024-03-09T14:05:00");
        }
        assert_eq!(canonical_datetime("2024-03-09").unwrap(), "2024-03-09T00:00:00");
        assert_eq!(canonical_datetime("2024-03-09T14:05:00-0130").unwrap(), "2024-03-09T14:05:00-01:30");
        for text in ["2024-03-09T", "2024-03-09T25:00", "2024-03-09T14:05:00.", "2024-03-09T14:05 Z", "é"] {
            assert_eq!(canonical_datetime(text), None);
        }
    }

    #[test]
    fn long_iso_years_are_known() {
        // ISO 8601: the years with 53 weeks around the turn of the century.
        let long: Vec<u32> = (1990..2030).filter(|&year| iso_weeks(year) == 53).collect();
        assert_eq!(long, [1992, 1998, 2004, 2009, 2015, 2020, 2026]);
    }
}
