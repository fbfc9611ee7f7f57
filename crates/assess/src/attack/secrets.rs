//! What is known of sensitive columns beyond the release: how frequent their values are, and which belong together.

use super::manifest::Promised;
use super::project::codes_of;
use super::{AttackError, AttackOptions};
use crate::ReleaseTable;
use paravent_core::hierarchy::Hierarchy;
use paravent_core::values::{Decimal, ValueType};
use paravent_evidence::attack::Grouping;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_job::Job;
use paravent_prepare::hierarchies::{self, FileOptions, HierarchyLines, type_of};
use std::collections::BTreeMap;

/// How often each released value occurs in the original, and after these one entry for all values that are not released: from the
/// manifest (t-closeness), else from the original itself.
pub(super) fn overall(
    column: &Column,
    promised: &Promised,
    original: Option<&Microdata>,
) -> Option<Vec<u64>> {
    let code_of = codes_of(column);
    let mut counts = vec![0u64; column.labels().len() + 1];
    let others = column.labels().len();
    if let Some(reference) = promised.references.iter().find(|reference| reference.column == column.name()) {
        for (value, count) in &reference.counts {
            let code = value.as_ref().and_then(|value| code_of.get(&value.as_deref()));
            counts[code.map_or(others, |&code| code as usize)] += count;
        }
        return Some(counts);
    }
    let original = original?;
    let raw = &original.columns()[original.place(column.name())?];
    for &code in raw.codes() {
        counts[code_of.get(&raw.cell(code)).map_or(others, |&code| code as usize)] += 1;
    }
    Some(counts)
}

/// The number of each code of a column of numbers, or the day of one of dates; `None` for other columns. What begins with a zero is a
/// code, whatever it looks like.
pub(super) fn numbers(column: &Column, declared: ValueType) -> Option<Vec<Option<f64>>> {
    let cells: Vec<Option<&str>> = (0..column.labels().len() as u32).map(|code| column.cell(code)).collect();
    let looks_like = match declared {
        ValueType::String => type_of(&cells),
        declared => declared,
    };
    let number = |cell: &str| match looks_like {
        ValueType::Integer | ValueType::Decimal => cell.parse::<Decimal>().ok().map(|number| number.to_f64()),
        ValueType::Date => day(&ValueType::Date.canonical(cell)),
        ValueType::String | ValueType::DateTime | ValueType::Boolean => None,
    };
    let is_code = |cell: &&str| looks_like == ValueType::Integer && cell.len() > 1 && cell.starts_with('0');
    if cells.iter().flatten().any(is_code) {
        return None;
    }
    let numbers: Vec<Option<f64>> = cells.iter().map(|cell| cell.and_then(number)).collect();
    match numbers.iter().any(Option::is_some) {
        true => Some(numbers),
        false => with_unit(&cells),
    }
}

/// The same for what people write: `3.000,50 EUR`, `<0,1 mg/l`, times of day, and a few cells that are no numbers. Most cells must be
/// numbers, all of one unit.
fn with_unit(cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    let split = |cell: &str| -> Option<(String, String)> {
        let cell = cell.trim_start_matches(['<', '>', '\u{2264}', '\u{2265}', '~', ' ']);
        let end = cell.find(|c: char| !(c.is_ascii_digit() || ".,-".contains(c))).unwrap_or(cell.len());
        let (number, unit) = cell.split_at(end);
        let is_number =
            number.bytes().any(|byte| byte.is_ascii_digit()) && !unit.contains(|c: char| c.is_ascii_digit());
        let is_code = number.len() > 1 && number.starts_with('0') && !number[1..].starts_with(['.', ',']);
        (is_number && !is_code).then(|| (number.to_owned(), unit.trim().to_lowercase()))
    };
    let parts: Vec<Option<(String, String)>> = cells.iter().map(|cell| cell.and_then(split)).collect();
    let mut units: BTreeMap<&str, usize> = BTreeMap::new();
    parts.iter().flatten().for_each(|(_, unit)| *units.entry(unit).or_insert(0) += 1);
    let (unit, most) = units.into_iter().max_by_key(|(unit, count)| (*count, std::cmp::Reverse(*unit)))?;
    if 10 * most < 8 * cells.iter().flatten().count() {
        return None;
    }
    let unit = unit.to_owned();
    let of_unit = || parts.iter().flatten().filter(|part| part.1 == unit).map(|part| part.0.as_str());
    // A mark that is always followed by three digits, and never by others, separates thousands.
    let thousands = |mark: char| {
        of_unit().all(|number| {
            number
                .split(mark)
                .skip(1)
                .all(|group| group.split(['.', ',']).next().is_some_and(|group| group.len() == 3))
        })
    };
    let comma_is_decimal = of_unit().any(|number| number.contains(',')) && !thousands(',');
    let decimal = if comma_is_decimal { ',' } else { '.' };
    let number = |text: &str| -> Option<f64> {
        let plain: String =
            text.chars().filter(|c| c.is_ascii_digit() || *c == '-' || *c == decimal).collect();
        plain.replace(',', ".").parse().ok()
    };
    let numbers =
        parts.iter().map(|part| part.as_ref().filter(|part| part.1 == unit).and_then(|part| number(&part.0)));
    let numbers: Vec<Option<f64>> = numbers.collect();
    numbers.iter().any(Option::is_some).then_some(numbers)
}

/// Days since a fixed one, from `2024-03-09`. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn day(date: &str) -> Option<f64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some((365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year) as f64)
}

/// The levels on which values of the column belong together: of a file that was named, of the hierarchy that the release or the job has
/// for the column, or of the tree in the manifest.
pub(super) fn groupings(
    column: &Column,
    place: usize,
    release: &ReleaseTable,
    promised: &Promised,
    options: &AttackOptions,
) -> Result<Vec<Grouping>, AttackError> {
    let mut groupings = Vec::new();
    for file in options.similar.iter().filter(|file| file.column == column.name()) {
        let hierarchy = Hierarchy::Table(HierarchyLines::read(&file.path, &FileOptions::default())?.table()?);
        groupings.extend(levels(column, &hierarchy, "of the hierarchy"));
    }
    if let Some((_, hierarchy)) =
        release.groups.iter().find(|(name, _)| groupings.is_empty() && name == column.name())
    {
        groupings.extend(levels(column, hierarchy, "of the release's hierarchy"));
    }
    if let (true, Some(job)) = (groupings.is_empty(), options.job.as_deref().map(Job::load).transpose()?)
        && let Some((index, attribute)) = job.attribute(column.name())
        && attribute.hierarchy.is_some()
    {
        let cells: Vec<Option<&str>> =
            (0..column.labels().len() as u32).map(|code| column.cell(code)).collect();
        let hierarchy = hierarchies::build(&job, index, &cells, release.table.types[place])?;
        groupings.extend(levels(column, &hierarchy, "of the job's hierarchy"));
    }
    if groupings.is_empty() {
        let reference = promised.references.iter().find(|reference| reference.column == column.name());
        if let Some((reference, tree)) =
            reference.and_then(|reference| Some((reference, reference.tree.as_ref()?)))
        {
            let path_of = |code: u32| {
                let cell = column.cell(code).map(str::to_owned);
                let place = reference.counts.iter().position(|(value, _)| *value == Some(cell.clone()));
                place.and_then(|place| tree.get(place))
            };
            let height = tree.first().map_or(0, Vec::len);
            for level in 1..height {
                let group = |code: u32| {
                    path_of(code)
                        .and_then(|path| path.get(level - 1))
                        .map_or_else(|| format!("alone {code}"), u64::to_string)
                };
                let mut grouping = grouped(
                    format!("{level} of the promised hierarchy"),
                    (0..column.labels().len() as u32).map(group),
                );
                grouping.names.clear();
                groupings.push(grouping);
            }
        }
    }
    groupings.extend(same_spelling(column));
    if groupings.is_empty() {
        groupings.extend(same_category(column));
    }
    Ok(groupings)
}

/// Values that differ in capital letters, blanks, hyphens or a full stop only: three spellings of an illness are one illness.
fn same_spelling(column: &Column) -> Option<Grouping> {
    let plain = |cell: &str| -> String {
        if !cell.chars().any(char::is_alphabetic) {
            return cell.to_owned();
        }
        let letters =
            cell.trim_end_matches('.').chars().filter(|c| !c.is_whitespace() && !"-_'\u{2019}".contains(*c));
        letters.flat_map(char::to_lowercase).collect()
    };
    let labels = (0..column.labels().len() as u32).map(|code| match column.cell(code) {
        Some(cell) => plain(cell),
        None => "(missing)".to_owned(),
    });
    let grouping = grouped("of equal spelling".to_owned(), labels);
    (grouping.names.len() < column.labels().len()).then_some(grouping)
}

/// Codes of illnesses by their category: `E11.0` and `E11.9` are both diabetes. Where most values are such codes and nobody gives a hierarchy.
fn same_category(column: &Column) -> Option<Grouping> {
    let category = |cell: &str| -> Option<String> {
        let bytes = cell.as_bytes();
        let is_code = bytes.len() > 3
            && bytes.len() <= 7
            && bytes[0].is_ascii_uppercase()
            && bytes[1..3].iter().all(u8::is_ascii_digit)
            && bytes[3] == b'.'
            && bytes[4..].iter().all(u8::is_ascii_alphanumeric);
        is_code.then(|| cell[..3].to_owned())
    };
    let cells = || (0..column.labels().len() as u32).map(|code| column.cell(code));
    let codes = cells().flatten().filter_map(category).count();
    if codes < 2 || 10 * codes < 8 * cells().flatten().count() {
        return None;
    }
    let labels = cells().map(|cell| match cell {
        Some(cell) => category(cell).unwrap_or_else(|| cell.to_owned()),
        None => "(missing)".to_owned(),
    });
    let grouping = grouped("of the category of the code".to_owned(), labels);
    (grouping.names.len() < column.labels().len()).then_some(grouping)
}

/// The levels between the values and the top.
fn levels(column: &Column, hierarchy: &Hierarchy, whose: &str) -> Vec<Grouping> {
    let level = |level: u8| {
        let label = |code: u32| match hierarchy.label(column.cell(code), level) {
            Ok(label) => label.map_or_else(|| "(missing)".to_owned(), |label| label.into_owned()),
            // A value without a line belongs to nobody but itself.
            Err(_) => format!("{} (not in the hierarchy)", column.cell(code).unwrap_or("(missing)")),
        };
        grouped(format!("{level} {whose}"), (0..column.labels().len() as u32).map(label))
    };
    (1..hierarchy.max_level()).map(level).collect()
}

fn grouped(level: String, labels: impl Iterator<Item = String>) -> Grouping {
    let labels: Vec<String> = labels.collect();
    let mut numbers: BTreeMap<&String, u32> = labels.iter().map(|label| (label, 0)).collect();
    numbers.values_mut().enumerate().for_each(|(number, place)| *place = number as u32);
    let group_of = labels.iter().map(|label| numbers[label]).collect();
    Grouping { level, group_of, names: numbers.into_keys().cloned().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days_are_laid_on_a_line() {
        let of = |cells: &[&str]| numbers(&Column::of("c", cells.to_vec()), ValueType::String);
        assert_eq!(of(&["3000", "3009.5"]), Some(vec![Some(3000.0), Some(3009.5)]));
        let days = of(&["2024-02-28", "2024-03-01"]).unwrap();
        assert_eq!(days[1].unwrap() - days[0].unwrap(), 2.0, "a leap year");
        assert_eq!(of(&["02138", "02139"]), None, "a code");
        assert_eq!(of(&["flu", "hiv"]), None);
        assert_eq!(of(&["3.000,50 EUR", "3.009,00 EUR"]), Some(vec![Some(3000.5), Some(3009.0)]));
        assert_eq!(of(&["12,5", "7,25"]), Some(vec![Some(12.5), Some(7.25)]));
        assert_eq!(of(&["1,000", "2,500"]), Some(vec![Some(1000.0), Some(2500.0)]));
        assert_eq!(of(&["E11.9", "E11.0"]), None);
        let odd = ["10 mg", "11 mg", "12 mg", "13 mg", "14 mg", "15 mg", "16 mg", "17 mg", "18 mg", "high"];
        assert_eq!(of(&odd).unwrap().iter().flatten().count(), 9);
        assert_eq!(of(&["5 mg", "5 g", "7 l"]), None, "three units are no line");
    }

    #[test]
    fn spellings_and_categories_belong_together() {
        let of = |cells: &[&str]| Column::of("c", cells.to_vec());
        let groups = |grouping: Option<Grouping>| grouping.map(|grouping| grouping.names.len());
        assert_eq!(groups(same_spelling(&of(&["Flu", "flu", "FLU ", "Type-1", "type 1"]))), Some(2));
        assert_eq!(groups(same_spelling(&of(&["flu", "hiv", "1.5", "15"]))), None);
        assert_eq!(groups(same_category(&of(&["E11.0", "E11.9", "I10.90", "E12.1"]))), Some(3));
        assert_eq!(groups(same_category(&of(&["E11.0", "I10.90"]))), None);
        assert_eq!(groups(same_category(&of(&["flu", "hiv"]))), None);
    }
}
