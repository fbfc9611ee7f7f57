//! `dates`: coarser and coarser parts of a date.

use super::Kind;
use super::TOP;
use crate::VerifyError;
use crate::calendar::{Fields, iso_weeks};
use crate::json::Node;
use crate::types::Type;

/// The unit of each level from 1; `*` follows.
pub(crate) struct Dates {
    units: Vec<Unit>,
}

#[derive(Clone, Copy)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    HalfYear,
    Year,
    Decade,
    Century,
}

impl Dates {
    pub(super) fn parse(node: &Node<'_>, _: Type) -> Result<Dates, VerifyError> {
        let unit = |item: Node<'_>| match item.str()? {
            "minute" => Ok(Unit::Minute),
            "hour" => Ok(Unit::Hour),
            "day" => Ok(Unit::Day),
            "week" => Ok(Unit::Week),
            "month" => Ok(Unit::Month),
            "quarter" => Ok(Unit::Quarter),
            "half-year" => Ok(Unit::HalfYear),
            "year" => Ok(Unit::Year),
            "decade" => Ok(Unit::Decade),
            "century" => Ok(Unit::Century),
            _ => Err(item.bad("is no unit of this format")),
        };
        Ok(Dates { units: node.get("levels")?.items()?.map(unit).collect::<Result<_, _>>()? })
    }

    pub(super) fn height(&self) -> u64 {
        self.units.len() as u64 + 1
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        if level == self.height() {
            return text == TOP;
        }
        let unit = level.checked_sub(1).and_then(|index| self.units.get(usize::try_from(index).ok()?));
        unit.is_some_and(|unit| unit.reads(text).is_some())
    }
}

impl Kind for Dates {
    fn height(&self) -> u64 {
        Dates::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Dates::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        kind.fits(text) && (Type::Date.fits(text) || Type::DateTime.fits(text))
    }
}

impl Unit {
    /// Succeeds if the text is this unit of a date that exists.
    fn reads(self, text: &str) -> Option<()> {
        let mut fields = Fields::of(text);
        match self {
            Unit::Minute => {
                fields.date()?;
                fields.literal("T")?;
                fields.number(2).filter(|&hour| hour < 24)?;
                fields.literal(":")?;
                fields.number(2).filter(|&minute| minute < 60)?;
            }
            Unit::Hour => {
                fields.date()?;
                fields.literal("T")?;
                fields.number(2).filter(|&hour| hour < 24)?;
            }
            Unit::Day => {
                fields.date()?;
            }
            Unit::Week => {
                let year = fields.number(4)?;
                fields.literal("-W")?;
                fields.number(2).filter(|week| (1..=iso_weeks(year)).contains(week))?;
            }
            Unit::Month => {
                fields.number(4)?;
                fields.literal("-")?;
                fields.number(2).filter(|month| (1..=12).contains(month))?;
            }
            Unit::Quarter => {
                fields.number(4)?;
                fields.literal("-Q")?;
                fields.number(1).filter(|quarter| (1..=4).contains(quarter))?;
            }
            Unit::HalfYear => {
                fields.number(4)?;
                fields.literal("-H")?;
                fields.number(1).filter(|half| (1..=2).contains(half))?;
            }
            Unit::Year => {
                fields.number(4)?;
            }
            Unit::Decade => {
                fields.number(4).filter(|year| year.is_multiple_of(10))?;
                fields.literal("s")?;
            }
            Unit::Century => {
                let first = fields.number(4).filter(|year| year.is_multiple_of(100))?;
                fields.literal("-")?;
                fields.number(4).filter(|&last| last == first + 99)?;
            }
        }
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::json;

    #[test]
    fn each_unit_has_its_own_spelling() {
        let units =
            ["minute", "hour", "day", "week", "month", "quarter", "half-year", "year", "decade", "century"];
        let labels = [
            "2024-03-09T14:05",
            "2024-03-09T14",
            "2024-03-09",
            "2024-W10",
            "2024-03",
            "2024-Q1",
            "2024-H1",
            "2024",
            "2020s",
            "2000-2099",
            "*",
        ];
        let dates = hierarchy(json!({ "kind": "dates", "levels": units }), Type::DateTime);
        assert_eq!(dates.height(), 11);
        for (index, good) in labels.iter().enumerate() {
            let bad: Vec<&str> = labels.iter().copied().filter(|label| label != good).collect();
            assert_labels(&dates, index as u64 + 1, &[good], &bad);
        }
        assert!(dates.admits(0, Some("2024-03-09T14:05:07"), Type::DateTime));
        assert!(dates.admits(10, None, Type::DateTime) && !dates.admits(11, None, Type::DateTime));
    }

    #[test]
    fn dates_that_do_not_exist_are_no_labels() {
        let dates = hierarchy(
            json!({ "kind": "dates", "levels": ["day", "week", "month", "decade", "century"] }),
            Type::Date,
        );
        assert_labels(&dates, 1, &["2024-02-29"], &["2023-02-29", "2024-02-30"]);
        assert_labels(&dates, 2, &["2020-W53"], &["2021-W53", "2021-W00"]);
        assert_labels(&dates, 3, &["2021-12"], &["2021-13", "2021-00", "2021-1"]);
        assert_labels(&dates, 4, &["1990s"], &["1995s"]);
        assert_labels(&dates, 5, &["1900-1999"], &["1900-2000", "1950-2049"]);
    }

    #[test]
    fn unknown_units_are_refused() {
        assert!(try_hierarchy(json!({ "kind": "dates", "levels": ["fortnight"] }), Type::Date).is_err());
    }
}
