//! Dates and times in a fixed form.
//!
//! The letters are those of Unicode's date patterns (CLDR, UTS 35), as spreadsheets and Java use them: `dd.MM.yyyy HH:mm`. Years of two
//! digits may say in which hundred years they lie: `dd.MM.yy from 1922` takes 22 for 1922 and 21 for 2021.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;

use super::super::Moment;

/// A form of dates or times.
#[derive(Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
    has_time: bool,
}

/// Why a text is no form of dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A letter that stands for nothing, or too many of them.
    #[error("`{0}` is no part of a date; write d, dd, M, MM, MMM, yy, yyyy, H, HH, h, hh, mm, ss or a")]
    Letter(String),
    /// A part that is there twice.
    #[error("a part of the date is there twice")]
    Twice,
    /// Day, month or year is not there, or a time without its hours.
    #[error("a date needs day, month and year; a time needs hours, and minutes before seconds")]
    Incomplete,
    /// `from` without a year of four digits, or without a year of two.
    #[error("from needs yy before it and a year of four digits behind it, as in `dd.MM.yy from 1922`")]
    From,
    /// Two numbers of open length without anything between them.
    #[error("two numbers of varying length need a sign between them")]
    Touching,
    /// Hours of twelve without `a`, or `a` without them.
    #[error("h needs a (am or pm), and a needs h")]
    HalfDay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Day(Width),
    Month(Width),
    MonthName,
    Year,
    /// The last two digits of one of the hundred years from this one on.
    ShortYear(u32),
    Hour(Width),
    /// 12, 1 … 11.
    HalfHour(Width),
    Minute,
    Second,
    /// `AM` or `PM`.
    AmPm,
    Sign(char),
}

/// How many digits a number has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// As many as it needs, one or two.
    Short,
    /// Always two.
    Two,
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The first of the hundred years that two digits stand for, unless the pattern says another.
const FIRST_YEAR: u32 = 1930;

impl Pattern {
    /// Reads a pattern.
    pub fn new(text: &str) -> Result<Pattern, PatternError> {
        let (form, first) = match text.split_once(" from ") {
            Some((form, year)) => (form, Some(first_year(year).ok_or(PatternError::From)?)),
            None => (text, None),
        };
        let characters: Vec<char> = form.chars().collect();
        let mut parts = Vec::new();
        for run in characters.chunk_by(|a, b| a == b && a.is_ascii_alphabetic()) {
            parts.push(match (run[0], run.len()) {
                ('d', 1) => Part::Day(Width::Short),
                ('d', 2) => Part::Day(Width::Two),
                ('M', 1) => Part::Month(Width::Short),
                ('M', 2) => Part::Month(Width::Two),
                ('M', 3) => Part::MonthName,
                ('y', 2) => Part::ShortYear(first.unwrap_or(FIRST_YEAR)),
                ('y', 4) => Part::Year,
                ('H', 1) => Part::Hour(Width::Short),
                ('H', 2) => Part::Hour(Width::Two),
                ('h', 1) => Part::HalfHour(Width::Short),
                ('h', 2) => Part::HalfHour(Width::Two),
                ('m', 2) => Part::Minute,
                ('s', 2) => Part::Second,
                ('a', 1) => Part::AmPm,
                // ISO 8601's sign between date and time.
                ('T', 1) => Part::Sign('T'),
                (sign, 1) if !sign.is_alphanumeric() && !sign.is_control() => Part::Sign(sign),
                _ => return Err(PatternError::Letter(run.iter().collect())),
            });
        }
        let count = |wanted: fn(&Part) -> bool| parts.iter().filter(|part| wanted(part)).count();
        let days = count(|part| matches!(part, Part::Day(_)));
        let months = count(|part| matches!(part, Part::Month(_) | Part::MonthName));
        let years = count(|part| matches!(part, Part::Year | Part::ShortYear(_)));
        let hours = count(|part| matches!(part, Part::Hour(_) | Part::HalfHour(_)));
        let minutes = count(|part| *part == Part::Minute);
        let seconds = count(|part| *part == Part::Second);
        if [days, months, years, hours, minutes, seconds].iter().any(|count| *count > 1) {
            return Err(PatternError::Twice);
        }
        if first.is_some() && count(|part| matches!(part, Part::ShortYear(_))) == 0 {
            return Err(PatternError::From);
        }
        if [days, months, years].contains(&0) || hours != minutes || seconds > minutes {
            return Err(PatternError::Incomplete);
        }
        if count(|part| matches!(part, Part::HalfHour(_))) != count(|part| *part == Part::AmPm) {
            return Err(PatternError::HalfDay);
        }
        if parts.windows(2).any(|pair| pair[0].is_open() && pair[1].starts_with_digit()) {
            return Err(PatternError::Touching);
        }
        Ok(Pattern { text: text.to_owned(), parts, has_time: hours == 1 })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it has hours and minutes.
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// Whether years have two digits only, so that a century is guessed.
    pub fn guesses_the_century(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::ShortYear(_)))
    }

    /// `2024-03-09`, or `2024-03-09T14:05` with seconds if the pattern has them.
    pub fn read(&self, cell: &str) -> Option<String> {
        let (mut rest, mut read) = (cell, Fields::default());
        for part in &self.parts {
            rest = part.take(rest, &mut read)?;
        }
        let date = Date::new(read.year.try_into().ok()?, read.month as i8, read.day as i8).ok()?;
        if !rest.is_empty() {
            return None;
        }
        let Some(hour) = read.hour else { return Some(date.to_string()) };
        let hour = match read.afternoon {
            Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
            None => hour,
        };
        Some(match read.second {
            Some(second) => format!("{date}T{hour:02}:{:02}:{second:02}", read.minute),
            None => format!("{date}T{hour:02}:{:02}", read.minute),
        })
    }

    /// `None` if the text is no value that the pattern can show completely.
    pub(super) fn write(&self, value: &str) -> Option<String> {
        let moment = match self.has_time {
            true => Moment::date_time(value)?,
            false => Moment::date(value)?,
        };
        let mut written = String::new();
        for part in &self.parts {
            part.put(&moment, &mut written)?;
        }
        // Fractions of a second and offsets have no place, and a century may be the wrong one.
        (self.read(&written)? == value).then_some(written)
    }
}

/// A year of four digits.
fn first_year(text: &str) -> Option<u32> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|year| digits && (1..=9900).contains(year))
}

/// What was read so far.
#[derive(Default)]
struct Fields {
    year: u32,
    month: u32,
    day: u32,
    hour: Option<u32>,
    minute: u32,
    second: Option<u32>,
    afternoon: Option<bool>,
}

impl Part {
    /// Whether its number may have one or two digits.
    fn is_open(self) -> bool {
        matches!(
            self,
            Part::Day(Width::Short)
                | Part::Month(Width::Short)
                | Part::Hour(Width::Short)
                | Part::HalfHour(Width::Short)
        )
    }

    fn starts_with_digit(self) -> bool {
        !matches!(self, Part::Sign(_) | Part::MonthName | Part::AmPm)
    }

    /// Takes the part off the front.
    fn take<'a>(self, text: &'a str, read: &mut Fields) -> Option<&'a str> {
        match self {
            Part::Sign(sign) => return text.strip_prefix(sign),
            Part::MonthName => {
                let name = text.get(..3)?;
                let found = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
                read.month = found as u32 + 1;
                return Some(&text[3..]);
            }
            Part::AmPm => {
                let word = text.get(..2)?;
                read.afternoon = Some(match word {
                    _ if word.eq_ignore_ascii_case("am") => false,
                    _ if word.eq_ignore_ascii_case("pm") => true,
                    _ => return None,
                });
                return Some(&text[2..]);
            }
            _ => {}
        }
        let length = match self {
            Part::Year => 4,
            _ if self.is_open() => text.bytes().take(2).take_while(u8::is_ascii_digit).count().max(1),
            _ => 2,
        };
        let digits = text.get(..length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        // One spelling for one value: 9, never 09, where the pattern says d.
        if self.is_open() && length == 2 && digits.starts_with('0') {
            return None;
        }
        let number = u32::from_str(digits).ok()?;
        match self {
            Part::Day(_) => read.day = number,
            Part::Month(_) => read.month = number,
            Part::Year => read.year = number,
            Part::ShortYear(first) => read.year = first + (number + 100 - first % 100) % 100,
            Part::Hour(_) => read.hour = Some(number).filter(|hour| *hour < 24).map(Some)?,
            Part::HalfHour(_) => {
                read.hour = Some(number).filter(|hour| (1..=12).contains(hour)).map(Some)?;
            }
            Part::Minute => read.minute = Some(number).filter(|minute| *minute < 60)?,
            Part::Second => read.second = Some(number).filter(|second| *second <= 60).map(Some)?,
            Part::MonthName | Part::AmPm | Part::Sign(_) => return None,
        }
        Some(&text[length..])
    }

    fn put(self, moment: &Moment, out: &mut String) -> Option<()> {
        use std::fmt::Write as _;
        let (date, time) = (moment.date, moment.time);
        let number = |out: &mut String, number: u32, width: Width| {
            let _ = match width {
                Width::Short => write!(out, "{number}"),
                Width::Two => write!(out, "{number:02}"),
            };
        };
        let year = u32::try_from(date.year()).ok()?;
        match self {
            Part::Day(width) => number(out, date.day().unsigned_abs().into(), width),
            Part::Month(width) => number(out, date.month().unsigned_abs().into(), width),
            Part::MonthName => out.push_str(MONTHS.get(usize::from(date.month().unsigned_abs()) - 1)?),
            Part::Year => {
                let _ = write!(out, "{year:04}");
            }
            Part::ShortYear(_) => number(out, year % 100, Width::Two),
            Part::Hour(width) => number(out, time?.hour.into(), width),
            Part::HalfHour(width) => number(out, (u32::from(time?.hour) + 11) % 12 + 1, width),
            Part::Minute => number(out, time?.minute.into(), Width::Two),
            Part::Second => number(out, time?.second().into(), Width::Two),
            Part::AmPm => out.push_str(if time?.hour < 12 { "AM" } else { "PM" }),
            Part::Sign(sign) => out.push(sign),
        }
        Some(())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).unwrap()
    }

    #[test]
    fn forms_of_many_countries_are_read_and_written() {
        for (form, cell, value) in [
            ("dd.MM.yyyy", "09.03.2024", "2024-03-09"),
            ("dd.MM.yyyy HH:mm", "09.03.2024 14:05", "2024-03-09T14:05"),
            ("MM/dd/yyyy", "03/09/2024", "2024-03-09"),
            ("M/d/yyyy h:mm a", "3/9/2024 2:05 PM", "2024-03-09T14:05"),
            ("M/d/yyyy h:mm a", "3/9/2024 12:05 AM", "2024-03-09T00:05"),
            ("yyyyMMdd", "20240309", "2024-03-09"),
            ("ddMMMyyyy", "09Mar2024", "2024-03-09"),
            ("yyyy-MM-ddTHH:mm:ss", "2024-03-09T14:05:07", "2024-03-09T14:05:07"),
            ("d.M.yyyy", "9.3.2024", "2024-03-09"),
            ("dd.MM.yy", "09.03.85", "1985-03-09"),
        ] {
            assert_eq!(pattern(form).read(cell).as_deref(), Some(value), "{form}");
            assert_eq!(pattern(form).write(value).as_deref(), Some(cell), "{form}");
        }
    }

    #[test]
    fn years_of_two_digits_lie_in_the_hundred_years_that_the_pattern_says() {
        let births = pattern("dd.MM.yy from 1922");
        for (cell, value) in
            [("01.02.22", "1922-02-01"), ("01.02.99", "1999-02-01"), ("01.02.21", "2021-02-01")]
        {
            assert_eq!(births.read(cell).as_deref(), Some(value));
            assert_eq!(births.write(value).as_deref(), Some(cell));
        }
        assert_eq!(births.write("2022-02-01"), None);
        assert_eq!((births.as_str(), births.guesses_the_century()), ("dd.MM.yy from 1922", true));
        for other in ["dd.MM.yyyy from 1922", "dd.MM.yy from 22", "dd.MM.yy from", "dd.MM.yy from x922"] {
            assert!(Pattern::new(other).is_err(), "{other}");
        }
    }

    #[test]
    fn days_that_do_not_exist_and_other_forms_are_refused() {
        for (form, cell) in [
            ("dd.MM.yyyy", "30.02.2024"),
            ("dd.MM.yyyy", "9.3.2024"),
            ("dd.MM.yyyy", "09.03.2024 "),
            ("MM/dd/yyyy", "13/01/2024"),
            ("d.M.yyyy", "09.3.2024"),
            ("dd.MM.yyyy HH:mm", "09.03.2024 24:00"),
            ("h:mm a d.M.yyyy", "13:00 PM 1.1.2024"),
            ("dd.MM.yyyy", "٠٩.٠٣.٢٠٢٤"),
        ] {
            assert_eq!(pattern(form).read(cell), None, "{form}: {cell}");
        }
        // A century that two digits cannot say, and a fraction of a second, stay as they are.
        assert_eq!(pattern("dd.MM.yy").write("1885-03-09"), None);
        assert_eq!(pattern("dd.MM.yyyy HH:mm").write("2024-03-09T14:05:07"), None);
    }

    #[test]
    fn forms_that_can_be_read_in_two_ways_are_refused() {
        assert_eq!(Pattern::new("dMyyyy"), Err(PatternError::Touching));
        assert_eq!(Pattern::new("dd.MM"), Err(PatternError::Incomplete));
        assert_eq!(Pattern::new("dd.MM.yyyy mm"), Err(PatternError::Incomplete));
        assert_eq!(Pattern::new("dd.MM.yyyy hh:mm"), Err(PatternError::HalfDay));
        assert_eq!(Pattern::new("dd.dd.yyyy"), Err(PatternError::Twice));
        assert_eq!(Pattern::new("DD.MM.YYYY"), Err(PatternError::Letter("DD".into())));
    }

    proptest! {
        #[test]
        fn every_day_comes_back(year in 1i16..9999, month in 1i8..=12, day in 1i8..=28, form in 0usize..6) {
            let forms = ["dd.MM.yyyy", "M/d/yyyy", "MM/dd/yyyy", "yyyyMMdd", "d MMM yyyy", "yyyy/M/d"];
            let value = Date::new(year, month, day).unwrap().to_string();
            let pattern = pattern(forms[form]);
            let written = pattern.write(&value).unwrap();
            prop_assert_eq!(pattern.read(&written), Some(value));
        }

        #[test]
        fn hostile_patterns_and_cells_do_not_panic(form in "[dMyHhmsa./: T-]{0,14}", cell in any::<String>()) {
            if let Ok(pattern) = Pattern::new(&form) {
                let _ = (pattern.read(&cell), pattern.write(&cell));
            }
        }
    }
}
