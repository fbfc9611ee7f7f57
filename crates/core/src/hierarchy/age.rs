//! Ages from dates of birth.

use super::kind::Kind;
use std::borrow::Cow;

use jiff::civil::Date;

use super::{TOP, Unplaced};
use crate::values::{Moment, ValueType};

/// The age in completed years on a day, then `*`. Intervals or breaks behind it in a chain make it coarser.
///
/// Who was born on 29 February has a birthday on 1 March in other years. Whoever was born after the day has a negative age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Age {
    on: Date,
}

impl Age {
    /// The day is written like any date.
    pub fn on(day: &str) -> Option<Age> {
        Moment::date(day).map(|moment| Age { on: moment.date })
    }

    /// The day, `2024-12-31`.
    pub fn day(&self) -> String {
        ValueType::Date.canonical(&self.on.to_string()).into_owned()
    }

    pub(super) fn max_level(&self) -> u8 {
        2
    }

    pub(super) fn label<'a>(
        &self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let Some(text) = value else { return Ok((level == 2).then_some(Cow::Borrowed(TOP))) };
        let born = Moment::parse(text).ok_or(Unplaced::NotADate)?.date;
        Ok(Some(match level {
            0 => Cow::Borrowed(text),
            1 => Cow::Owned(self.years(born).to_string()),
            _ => Cow::Borrowed(TOP),
        }))
    }

    fn years(&self, born: Date) -> i16 {
        let birthday_to_come = (self.on.month(), self.on.day()) < (born.month(), born.day());
        self.on.year() - born.year() - i16::from(birthday_to_come)
    }
}

impl Kind for Age {
    fn in_words(&self) -> &'static str {
        "ages"
    }

    fn max_level(&self) -> u8 {
        Age::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Age::label(self, value, level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_completed_on_the_birthday() {
        let age = Age::on("2024-03-09").unwrap();
        let years = |born: &str| age.label(Some(born), 1).unwrap().unwrap().into_owned();
        assert_eq!(
            ["1984-03-09", "1984-03-10", "10.03.1984", "2024-03-09", "2024-03-10"].map(years),
            ["40", "39", "39", "0", "-1"]
        );
        let leap = Age::on("2023-02-28").unwrap();
        assert_eq!(leap.label(Some("2000-02-29"), 1).unwrap().unwrap(), "22");
        assert_eq!(age.label(Some("1984-03-09T10:00"), 1).unwrap().unwrap(), "40");
        assert_eq!(age.label(Some("forty"), 1), Err(Unplaced::NotADate));
        assert_eq!((age.label(None, 1), age.label(None, 2)), (Ok(None), Ok(Some("*".into()))));
        assert_eq!(age.day(), "2024-03-09");
    }
}
