//! How coarse labels are: a level of a hierarchy, or a unit of time.

use paravent_core::values::ValueType;
use paravent_policy::Grain;
use std::fmt;

/// How coarse labels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coarse {
    /// A level of the hierarchy; 0 is the cell as it is.
    Level(u8),
    /// A unit of time.
    Grain(Grain),
}

impl fmt::Display for Coarse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coarse::Level(level) => level.fmt(f),
            Coarse::Grain(grain) => grain.fmt(f),
        }
    }
}

/// The day, month, quarter or year of a date or time; none where the cell is neither.
pub(crate) fn of_time(typed: ValueType, cell: &str, grain: Grain) -> Option<String> {
    if !matches!(typed, ValueType::Date | ValueType::DateTime) || !typed.accepts(cell) {
        return None;
    }
    // 2026-03-09, and behind it the time of day.
    let moment = typed.canonical(cell);
    let (day, month, year) = (moment.get(..10)?, moment.get(..7)?, moment.get(..4)?);
    Some(match grain {
        Grain::Day => day.to_owned(),
        Grain::Month => month.to_owned(),
        Grain::Quarter => format!("{year}-Q{}", month.get(5..)?.parse::<u8>().ok()?.div_ceil(3)),
        Grain::Year => year.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_on_their_unit_however_they_are_written() {
        let all = |typed, cell| {
            let grains = [Grain::Day, Grain::Month, Grain::Quarter, Grain::Year];
            grains.map(|grain| of_time(typed, cell, grain).unwrap_or_default())
        };
        let march = ["2024-03-09", "2024-03", "2024-Q1", "2024"];
        assert_eq!(all(ValueType::Date, "2024-03-09"), march);
        assert_eq!(all(ValueType::Date, "09.03.2024"), march);
        assert_eq!(all(ValueType::DateTime, "2024-03-09 23:59"), march);
        assert_eq!(of_time(ValueType::Date, "2024-12-31", Grain::Quarter).as_deref(), Some("2024-Q4"));
        for odd in ["", "2024-13-01", "soon", "2024"] {
            assert_eq!(all(ValueType::Date, odd), [""; 4], "{odd}");
        }
        assert_eq!(of_time(ValueType::String, "2024-03-09", Grain::Year), None);
    }
}
