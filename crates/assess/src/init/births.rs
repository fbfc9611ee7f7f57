//! Dates of birth and the day on which ages are counted.

use paravent_evidence::columns::{Hint, hint};
use paravent_job::{DataType, Role};

use super::profile::{Column, Profile};
use super::roles::Assigned;
use super::shaping::Surroundings;
use super::types::value_type;
use super::words::{counted, listed};

/// Nobody has been older.
const OLDEST: i64 = 125;

/// Groups of ages have fewer names.
const MANY: u64 = 40;

/// Today in universal time, `2024-12-31`.
pub(super) fn today() -> String {
    let now = jiff::Timestamp::now().to_string();
    now.get(..10).unwrap_or("2029-12-31").to_owned()
}

/// The day on which ages are counted: the end of the year of the latest date that is no birth, such as an admission; today where there
/// is none. A birth decides nothing: one wrong year of birth would make everybody as much older.
pub(super) fn counted_on(profile: &Profile, today: &str) -> String {
    let this_year = today.get(..4).unwrap_or_default();
    let year = |column: &Column| -> Option<String> {
        let years = column.values()?.filter_map(|(value, _)| Some(day(column, value)?[..4].to_owned()));
        years.filter(|year| year.as_str() <= this_year).max()
    };
    let others = profile.columns.iter().filter(|column| is_date(column) && !is_birth(&column.name));
    match others.filter_map(year).max() {
        Some(year) => format!("{year}-12-31"),
        None => today.to_owned(),
    }
}

/// What is wrong with births and ages.
pub(super) fn notes(profile: &Profile, roles: &[Assigned], around: &Surroundings) -> Vec<String> {
    let kept = profile.columns.iter().zip(roles).filter(|(_, assigned)| assigned.role != Role::Identifying);
    kept.filter_map(|(column, _)| note(column, &around.on)).collect()
}

fn note(column: &Column, on: &str) -> Option<String> {
    if !is_birth(&column.name) {
        return None;
    }
    let name = listed([column.name.as_str()]);
    let rows = |wrong: &dyn Fn(&str) -> bool| -> Option<u64> {
        let rows = column.values()?.filter(|(value, _)| wrong(value)).map(|(_, rows)| rows).sum();
        (rows > 0).then_some(rows)
    };
    if is_date(column) {
        let later = rows(&|value| day(column, value).is_some_and(|day| day.as_str() > on))?;
        let births = counted(later, "birth lies", "births lie");
        return Some(format!(
            "{name}: {births} after {on}, the day on which ages are counted, so the age would be below 0. Correct such cells, \
             or change on"
        ));
    }
    if column.data_type == DataType::String && column.distinct.at_least() > MANY {
        return Some(format!(
            "{name}: its cells are read neither as dates nor as ages, so no age can be told. Write them alike, as 1984-03-09 or 09.03.1984"
        ));
    }
    let is_age = |value: &str| value.parse::<i64>().is_ok_and(|years| (0..=OLDEST).contains(&years));
    if column.data_type != DataType::Integer || !column.values()?.any(|(value, _)| is_age(value)) {
        return None;
    }
    // A year of birth is no age, either.
    let ages: u64 = column.values()?.filter(|(value, _)| is_age(value)).map(|(_, rows)| rows).sum();
    let other = rows(&|value| !is_age(value)).filter(|other| other * 2 < ages)?;
    let cells = counted(other, "cell is no age", "cells are no ages");
    Some(format!(
        "{name}: {cells} (below 0 or above {OLDEST}). If that stands for a missing value, name it under null in [input]"
    ))
}

/// The day of a date or a moment as `2024-12-31`, also where the cell is written otherwise.
fn day(column: &Column, value: &str) -> Option<String> {
    value_type(column.data_type).canonical(value).get(..10).map(str::to_owned)
}

fn is_birth(name: &str) -> bool {
    matches!(hint(name), Hint::QuasiIdentifying("a date of birth or an age"))
}

fn is_date(column: &Column) -> bool {
    matches!(column.data_type, DataType::Date | DataType::DateTime)
}
