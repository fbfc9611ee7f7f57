//! What is known of sensitive columns beyond the release: how frequent their values are, and which belong together.

use super::manifest::Promised;
use super::project::codes_of;
use super::{AttackError, AttackOptions};
use crate::ReleaseTable;
use paravent_core::hierarchy::Hierarchy;
use paravent_core::words::counted;
use paravent_evidence::attack::{Grouping, Likeness};
use paravent_evidence::microdata::{Column, Microdata};
use paravent_prepare::hierarchies::{self, FileOptions, HierarchyLines};
use paravent_tables::alike;
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
        let by_words =
            || [same_word(column, Word::First), same_word(column, Word::Last)].into_iter().flatten();
        match (same_category(column), beginnings(column)) {
            (Some(category), _) => groupings.push(category),
            (None, paths) if !paths.is_empty() => groupings.extend(paths),
            (None, _) => groupings.extend(by_words()),
        }
    }
    Ok(groupings)
}

/// Values that look alike, or differ in blanks, hyphens or a full stop only, or are equal as numbers: three spellings of an illness are
/// one illness.
fn same_spelling(column: &Column) -> Option<Grouping> {
    // Where all are numbers, 1 and 1.0 are one.
    let cells = || (0..column.labels().len() as u32).filter_map(|code| column.cell(code));
    let number = |cell: &str| cell.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let are_numbers = cells().all(|cell| number(cell).is_some());
    let plain = |cell: &str| -> String {
        if let Some(number) = number(cell).filter(|_| are_numbers) {
            return number.to_string();
        }
        if !cell.chars().any(char::is_alphabetic) {
            return cell.to_owned();
        }
        let looks = alike::looks(cell);
        let letters = looks.trim_end_matches('.').chars();
        letters.filter(|c| !c.is_whitespace() && !"-_'\u{2019}".contains(*c)).collect()
    };
    let labels = (0..column.labels().len() as u32).map(|code| match column.cell(code) {
        Some(cell) => plain(cell),
        None => "(missing)".to_owned(),
    });
    let grouping =
        Grouping { likeness: Likeness::SameValue, ..grouped("of equal spelling".to_owned(), labels) };
    (grouping.names.len() < column.labels().len()).then_some(grouping)
}

/// Codes of illnesses by their category: `E11.0` and `E119` are both diabetes. Where most values are such codes and nobody gives a hierarchy.
fn same_category(column: &Column) -> Option<Grouping> {
    let category = |cell: &str| -> Option<String> {
        let (start, rest) = cell.trim().split_at_checked(3)?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let start_is_code = matches!(start.as_bytes(), [letter, digits @ ..]
            if letter.is_ascii_alphabetic() && digits.iter().all(u8::is_ascii_digit));
        let is_code =
            start_is_code && rest.len() <= 4 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then(|| start.to_ascii_uppercase())
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

/// What may stand between the parts of a path, and how many parts are looked at.
const BETWEEN: [&str; 5] = ["/", ">", "|", "::", "\\"];
const MOST_PARTS: usize = 6;

/// Paths by their beginnings: `tumour/lung/left` and `tumour/lung/right` are both tumours of the lung. Where nearly all values have the same sign between
/// their parts, and no part is a number: `120/80` is none.
fn beginnings(column: &Column) -> Vec<Grouping> {
    let cells = || (0..column.labels().len() as u32).map(|code| column.cell(code));
    let is_path = |cell: &str, between: &str| {
        cell.contains(between) && cell.split(between).all(|part| part.chars().any(char::is_alphabetic))
    };
    let share = |between: &str| cells().flatten().filter(|cell| is_path(cell, between)).count();
    let Some(between) =
        BETWEEN.into_iter().find(|between| 10 * share(between) >= 8 * cells().flatten().count().max(1))
    else {
        return Vec::new();
    };
    let longest =
        cells().flatten().map(|cell| cell.split(between).count()).max().unwrap_or(1).min(MOST_PARTS);
    let of_parts = |parts: usize| {
        let beginning =
            |cell: &str| cell.split(between).take(parts).map(alike::looks).collect::<Vec<_>>().join(between);
        let labels = cells().map(|cell| cell.map_or_else(|| "(missing)".to_owned(), beginning));
        grouped(format!("of the first {}", counted(parts as u64, "part")), labels)
    };
    let groupings = (1..longest).rev().map(of_parts);
    groupings.filter(|grouping| (2..column.labels().len()).contains(&grouping.names.len())).collect()
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

/// Which word of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    First,
    Last,
}

/// Names that begin or end with the same word: `Diabetes mellitus, type 1` and `Diabetes mellitus, type 2`, `lung cancer` and
/// `colon cancer`. A word that half of all values share tells nothing, and neither does one of [`GENERAL`].
fn same_word(column: &Column, which: Word) -> Option<Grouping> {
    let word = |cell: &str| -> Option<String> {
        let words: Vec<&str> =
            cell.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let word = if which == Word::First { words.first()? } else { words.last()? }.to_lowercase();
        let tells = word.chars().count() >= 5 && word.chars().all(char::is_alphabetic);
        (tells && words.len() > 1 && !GENERAL.contains(&word.as_str())).then_some(word)
    };
    let label = |code: u32| match column.cell(code) {
        Some(cell) => word(cell).unwrap_or_else(|| cell.to_owned()),
        None => "(missing)".to_owned(),
    };
    let name = if which == Word::First { "of the first word" } else { "of the last word" };
    let grouping = grouped(name.to_owned(), (0..column.labels().len() as u32).map(label));
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
    let likeness = Likeness::Similar;
    Grouping { likeness, level, group_of, names: numbers.into_keys().cloned().collect() }
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
        assert_eq!(groups(same_spelling(&of(&["1", "1.0", "01", "2.50", "2.5", "3"]))), Some(3));
        assert_eq!(groups(same_category(&of(&["E11.0", "E11.9", "I10.90", "E12.1"]))), Some(3));
        assert_eq!(groups(same_category(&of(&["E11.0", "I10.90"]))), None);
        assert_eq!(groups(same_category(&of(&["flu", "hiv"]))), None);
        assert_eq!(groups(same_category(&of(&["E110", "E119", "I10", "K29.1"]))), Some(3));
        assert_eq!(groups(same_category(&of(&["e11.0", "E119", "i10", "k29.1"]))), Some(3));
        assert_eq!(
            groups(same_spelling(&of(&["Migr\u{e4}ne", "Migra\u{308}ne", "Mi\u{200b}gr\u{e4}ne", "hiv"]))),
            Some(2)
        );
        let parts = |cells: &[&str]| -> Vec<usize> {
            beginnings(&of(cells)).iter().map(|by| by.names.len()).collect()
        };
        assert_eq!(parts(&["neo/lung/left", "neo/lung/right", "neo/colon", "inj/arm/left"]), [3, 2]);
        assert_eq!(parts(&["120/80", "130/90", "110/70"]), [0usize; 0]);
        assert_eq!(parts(&["flu", "gout", "either/or"]), [0usize; 0]);
        let diabetes = ["Diabetes mellitus, type 1", "diabetes mellitus (2)", "Gicht", "Fraktur", "Grippe"];
        assert_eq!(groups(same_word(&of(&diabetes), Word::First)), Some(4));
        assert_eq!(
            groups(same_word(&of(&["acute gastritis", "acute bronchitis", "gout", "flu"]), Word::First)),
            None
        );
        assert_eq!(groups(same_word(&of(&["Ward 1", "Ward 2", "Ward 3"]), Word::First)), None);
        assert_eq!(
            groups(same_word(&of(&["Station A", "Station B", "Station C", "x"]), Word::First)),
            None,
            "most of them"
        );
        let cancers = ["lung cancer", "Colon cancer", "gout", "flu", "broken arm"];
        assert_eq!(groups(same_word(&of(&cancers), Word::Last)), Some(4));
        assert_eq!(
            groups(same_word(&of(&["Graves disease", "heart disease", "gout", "flu"]), Word::Last)),
            None
        );
    }
}
