//! What is known of sensitive columns beyond the release: how frequent their values are, and which belong together.

use super::manifest::Promised;
use super::project::codes_of;
use super::{AttackError, AttackOptions};
use crate::ReleaseTable;
use paravent_core::hierarchy::Hierarchy;
use paravent_evidence::attack::Grouping;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_prepare::hierarchies::{self, FileOptions, HierarchyLines};
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
    if let (true, Some(job)) = (groupings.is_empty(), options.in_memory.job(options.job.as_deref())?)
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
    let is_known = !groupings.is_empty();
    groupings.extend(same_spelling(column));
    if !is_known {
        groupings.extend(same_category(column).or_else(|| same_beginning(column)));
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

/// Codes of illnesses by their category: `E11.0` and `E119` are both diabetes. Where most values are such codes and nobody gives a hierarchy.
fn same_category(column: &Column) -> Option<Grouping> {
    let category = |cell: &str| -> Option<String> {
        let (start, rest) = cell.split_at_checked(3)?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let start_is_code = matches!(start.as_bytes(), [letter, digits @ ..]
            if letter.is_ascii_uppercase() && digits.iter().all(u8::is_ascii_digit));
        let is_code =
            start_is_code && rest.len() <= 4 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then(|| start.to_owned())
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

/// Words with which names of quite different illnesses begin.
const GENERAL: [&str; 28] = [
    "acute",
    "chronic",
    "akute",
    "akuter",
    "akutes",
    "chronische",
    "chronischer",
    "chronisches",
    "morbus",
    "other",
    "sonstige",
    "unspecified",
    "disorder",
    "disease",
    "diseases",
    "syndrome",
    "status",
    "history",
    "primary",
    "secondary",
    "benign",
    "malignant",
    "right",
    "severe",
    "personal",
    "family",
    "infection",
    "verdacht",
];

/// Names that begin with the same word: `Diabetes mellitus, type 1` and `Diabetes mellitus, type 2`. A word with which half of all
/// values begin tells nothing, and neither does one of [`GENERAL`].
fn same_beginning(column: &Column) -> Option<Grouping> {
    let beginning = |cell: &str| -> Option<String> {
        let mut words = cell.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next()?.to_lowercase();
        let tells = first.chars().count() >= 5 && first.chars().all(char::is_alphabetic);
        (tells && words.next().is_some() && !GENERAL.contains(&first.as_str())).then_some(first)
    };
    let label = |code: u32| match column.cell(code) {
        Some(cell) => beginning(cell).unwrap_or_else(|| cell.to_owned()),
        None => "(missing)".to_owned(),
    };
    let grouping = grouped("of the first word".to_owned(), (0..column.labels().len() as u32).map(label));
    let mut sizes = vec![0usize; grouping.names.len()];
    grouping.group_of.iter().for_each(|&group| sizes[group as usize] += 1);
    let tells = sizes.iter().all(|&size| 2 * size <= column.labels().len());
    (tells && grouping.names.len() < column.labels().len()).then_some(grouping)
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
    fn spellings_and_categories_belong_together() {
        let of = |cells: &[&str]| Column::of("c", cells.to_vec());
        let groups = |grouping: Option<Grouping>| grouping.map(|grouping| grouping.names.len());
        assert_eq!(groups(same_spelling(&of(&["Flu", "flu", "FLU ", "Type-1", "type 1"]))), Some(2));
        assert_eq!(groups(same_spelling(&of(&["flu", "hiv", "1.5", "15"]))), None);
        assert_eq!(groups(same_category(&of(&["E11.0", "E11.9", "I10.90", "E12.1"]))), Some(3));
        assert_eq!(groups(same_category(&of(&["E11.0", "I10.90"]))), None);
        assert_eq!(groups(same_category(&of(&["flu", "hiv"]))), None);
        assert_eq!(groups(same_category(&of(&["E110", "E119", "I10", "K29.1"]))), Some(3));
        let diabetes = ["Diabetes mellitus, type 1", "diabetes mellitus (2)", "Gicht", "Fraktur", "Grippe"];
        assert_eq!(groups(same_beginning(&of(&diabetes))), Some(4));
        assert_eq!(
            groups(same_beginning(&of(&["acute gastritis", "acute bronchitis", "gout", "flu"]))),
            None
        );
        assert_eq!(groups(same_beginning(&of(&["Ward 1", "Ward 2", "Ward 3"]))), None);
        assert_eq!(
            groups(same_beginning(&of(&["Station A", "Station B", "Station C", "x"]))),
            None,
            "most of them"
        );
    }
}
