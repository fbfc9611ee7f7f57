//! Dates by parts of the calendar.

use super::kind::Kind;
use super::names::names;
use std::borrow::Cow;

use super::{TOP, Unplaced};
use crate::values::Moment;

/// Dates by parts of the calendar, finest first, then `*`.
///
/// Takes all forms of [`Date`](crate::values::ValueType::Date) and
/// [`DateTime`](crate::values::ValueType::DateTime); the civil time as written counts, offsets are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dates {
    levels: Vec<DatePart>,
}

/// A part of the calendar, and its label for 9 March 2024, 14:05.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatePart {
    /// `2024-03-09T14:05`
    Minute,
    /// `2024-03-09T14`
    Hour,
    /// `2024-03-09`
    Day,
    /// `2024-W10`, week and year of ISO 8601
    Week,
    /// `2024-03`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024-H1`
    HalfYear,
    /// `2024`
    Year,
    /// `2020s`
    Decade,
    /// `2000-2099`
    Century,
}
names!(DatePart {
    Minute: "minute",
    Hour: "hour",
    Day: "day",
    Week: "week",
    Month: "month",
    Quarter: "quarter",
    HalfYear: "half-year",
    Year: "year",
    Decade: "decade",
    Century: "century",
});

/// Why parts of the calendar make no hierarchy. Levels count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatesError {
    /// No part at all.
    #[error("a hierarchy of dates needs at least one level")]
    NoLevels,
    /// A part that is no union of parts of the level below.
    #[error("level {level} is not made of whole parts of level {}", level - 1)]
    NotNested {
        /// The upper level.
        level: usize,
    },
}

impl Dates {
    /// Refuses parts that do not nest: they go from fine to coarse, and nothing but the top is above weeks,
    /// which cross the ends of months and years.
    pub fn new(levels: Vec<DatePart>) -> Result<Dates, DatesError> {
        if levels.is_empty() {
            return Err(DatesError::NoLevels);
        }
        match levels.windows(2).position(|pair| !pair[0].nests_in(pair[1])) {
            Some(position) => Err(DatesError::NotNested { level: position + 2 }),
            None => Ok(Dates { levels }),
        }
    }

    /// The parts, from level 1 up.
    pub fn levels(&self) -> &[DatePart] {
        &self.levels
    }

    pub(super) fn max_level(&self) -> u8 {
        self.levels.len() as u8 + 1
    }

    pub(super) fn label<'a>(
        &self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let top = level == self.max_level();
        let Some(text) = value else { return Ok(top.then_some(Cow::Borrowed(TOP))) };
        let moment = Moment::parse(text).ok_or(Unplaced::NotADate)?;
        if self.levels[0] < DatePart::Day && moment.time.is_none() {
            return Err(Unplaced::NoTime);
        }
        Ok(Some(match level {
            0 => Cow::Borrowed(text),
            _ if top => Cow::Borrowed(TOP),
            _ => Cow::Owned(self.levels[usize::from(level) - 1].of(&moment)),
        }))
    }
}

impl Kind for Dates {
    fn in_words(&self) -> &'static str {
        "parts of the calendar"
    }

    fn max_level(&self) -> u8 {
        Dates::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Dates::label(self, value, level)
    }
}

impl DatePart {
    /// Does every part of this kind lie within one part of the other?
    fn nests_in(self, coarser: DatePart) -> bool {
        self < coarser && self != DatePart::Week
    }

    fn of(self, moment: &Moment) -> String {
        let (date, time) = (moment.date, moment.time);
        let (hour, minute) = time.map_or((0, 0), |time| (time.hour, time.minute));
        let (year, month) = (date.year(), date.month());
        match self {
            DatePart::Minute => format!("{}T{hour:02}:{minute:02}", DatePart::Day.of(moment)),
            DatePart::Hour => format!("{}T{hour:02}", DatePart::Day.of(moment)),
            DatePart::Day => format!("{year:04}-{month:02}-{:02}", date.day()),
            DatePart::Week => {
                let week = date.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            DatePart::Month => format!("{year:04}-{month:02}"),
            DatePart::Quarter => format!("{year:04}-Q{}", (month + 2) / 3),
            DatePart::HalfYear => format!("{year:04}-H{}", (month + 5) / 6),
            DatePart::Year => format!("{year:04}"),
            DatePart::Decade => format!("{:04}s", year / 10 * 10),
            DatePart::Century => format!("{0:02}00-{0:02}99", year / 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DatePart::*;
    use proptest::prelude::*;

    const ALL: [DatePart; 10] = [Minute, Hour, Day, Week, Month, Quarter, HalfYear, Year, Decade, Century];

    fn label(part: DatePart, text: &str) -> String {
        part.of(&Moment::parse(text).unwrap())
    }

    #[test]
    fn every_part_has_its_label() {
        let labels = ALL.map(|part| label(part, "2024-03-09T14:05:33.25+01:00"));
        assert_eq!(labels[..4], ["2024-03-09T14:05", "2024-03-09T14", "2024-03-09", "2024-W10"]);
        assert_eq!(labels[4..], ["2024-03", "2024-Q1", "2024-H1", "2024", "2020s", "2000-2099"]);
        assert_eq!(label(Century, "0079-08-24"), "0000-0099");
        assert_eq!(label(Decade, "0079-08-24"), "0070s");
    }

    #[test]
    fn weeks_at_the_end_of_years_follow_iso_8601() {
        for (date, week) in [
            ("2020-12-31", "2020-W53"),
            ("2021-01-03", "2020-W53"),
            ("2021-01-04", "2021-W01"),
            ("2018-12-31", "2019-W01"),
            ("2016-01-01", "2015-W53"),
            ("2024-12-30", "2025-W01"),
            ("9999-12-31", "9999-W52"),
        ] {
            assert_eq!(label(Week, date), week);
        }
    }

    #[test]
    fn leap_days_are_days_of_february() {
        assert_eq!(label(Month, "29.02.2024"), "2024-02");
        assert_eq!(label(Quarter, "2000/02/29"), "2000-Q1");
        assert!(Moment::parse("1900-02-29").is_none());
        let halves = ["2024-06-30", "2024-07-01"].map(|date| label(HalfYear, date));
        assert_eq!(halves, ["2024-H1", "2024-H2"]);
        let quarters = ["01", "03", "04", "06", "07", "09", "10", "12"]
            .map(|month| label(Quarter, &format!("2024-{month}-01"))[6..].to_string());
        assert_eq!(quarters, ["1", "1", "2", "2", "3", "3", "4", "4"]);
    }

    #[test]
    fn parts_that_do_not_nest_are_refused() {
        assert!(Dates::new(vec![Day, Month, Quarter, HalfYear, Year]).is_ok());
        assert!(Dates::new(vec![Day, Week]).is_ok());
        assert_eq!(Dates::new(vec![]), Err(DatesError::NoLevels));
        assert_eq!(Dates::new(vec![Day, Week, Month]), Err(DatesError::NotNested { level: 3 }));
        assert_eq!(Dates::new(vec![Week, Year]), Err(DatesError::NotNested { level: 2 }));
        assert_eq!(Dates::new(vec![Year, Month]), Err(DatesError::NotNested { level: 2 }));
        assert_eq!(Dates::new(vec![Day, Day]), Err(DatesError::NotNested { level: 2 }));
    }

    #[test]
    fn hours_need_a_time() {
        let hours = Dates::new(vec![Hour, Day]).unwrap();
        assert_eq!(hours.label(Some("2024-03-09"), 2), Err(Unplaced::NoTime));
        assert_eq!(hours.label(Some("2024-03-09 14:05"), 1).unwrap().as_deref(), Some("2024-03-09T14"));
        assert_eq!(hours.label(Some("soon"), 0), Err(Unplaced::NotADate));
        assert_eq!(hours.label(None, 2), Ok(None));
        assert_eq!(hours.label(None, 3).unwrap().as_deref(), Some("*"));
    }

    proptest! {
        /// The order of the parts is exactly the one the calendar has: whatever nests never splits.
        #[test]
        fn parts_said_to_nest_do_nest(a in 0i32..20_000, days in 0i32..40) {
            let epoch = jiff::civil::date(1970, 1, 1);
            let at = |n: i32| Moment { date: epoch.saturating_add(jiff::Span::new().days(n)), time: None };
            let (a, b) = (at(a), at(a + days));
            for (fine, coarse) in ALL.iter().flat_map(|fine| ALL.iter().map(move |coarse| (fine, coarse))) {
                let splits = fine.of(&a) == fine.of(&b) && coarse.of(&a) != coarse.of(&b);
                prop_assert!(!(fine.nests_in(*coarse) && splits));
            }
        }
    }
}
