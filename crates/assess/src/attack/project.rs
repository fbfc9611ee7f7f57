//! Raw records written with the labels of a release.

use super::boxes::Boxed;
use super::labels;
use crate::{Generalization, ReleaseTable};
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::finer::FinerColumn;
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::microdata::{Column, Microdata};
use std::collections::{BTreeMap, HashMap};

/// The records of `table` in the columns that the release has too. One look-up per distinct value, then one per cell.
pub(super) fn project(release: &ReleaseTable, table: &Microdata) -> Projection {
    let (mut places, mut codes) = (Vec::new(), Vec::new());
    let boxed = Boxed::of(release, table);
    let mut shown = boxed.as_ref().map(Boxed::codes);
    for (place, released) in release.table.data.columns().iter().enumerate() {
        let Some(raw) = table.place(released.name()).map(|place| &table.columns()[place]) else { continue };
        if let Some(shown) = shown.as_mut().and_then(|shown| shown.remove(&place)) {
            places.push(place);
            codes.push(shown);
            continue;
        }
        let code_of = codes_of(released);
        let by_value: Vec<Option<u32>> = match generalization(release, place) {
            Some(generalization) => labels_of(raw, generalization)
                .map(|label| label.and_then(|label| code_of.get(&label.as_deref()).copied()))
                .collect(),
            None => {
                let is_quasi = release.table.quasi_identifiers.contains(&place);
                let code = |code: u32| match is_quasi {
                    true => label_around(raw.cell(code), released, &code_of),
                    false => code_of.get(&raw.cell(code)).copied(),
                };
                (0..raw.labels().len() as u32).map(code).collect()
            }
        };
        places.push(place);
        codes.push(raw.codes().iter().map(|&code| by_value[code as usize]).collect());
    }
    let lies = boxed.map(|boxed| places.iter().map(|&place| boxed.lies(place)).collect());
    Projection::new(places, codes).lying_in(lies).with_people(table.people().map(<[u32]>::to_vec))
}

/// Of a release without its private folder: the quasi-identifiers with labels that no value of `table` reads as. They are names of groups
/// that only the private folder explains. Where the table need not have everybody (`in_part`), one label that is read will do.
pub(super) fn unread(release: &ReleaseTable, table: &Microdata, in_part: bool) -> Vec<usize> {
    if release.facts.input_rows == 0 || release.facts.has_transformation {
        return Vec::new();
    }
    let is_unread = |&place: &usize| {
        let released = &release.table.data.columns()[place];
        let Some(raw) = table.place(released.name()).map(|place| &table.columns()[place]) else {
            return false;
        };
        if released.labels().len() * raw.labels().len() > MOST_PAIRS {
            return false;
        }
        let cells = || (0..raw.labels().len() as u32).map(|code| raw.cell(code));
        let is_read = |code: u32| {
            let label = released.cell(code);
            cells().any(|cell| covers(label, cell))
        };
        let mut labels = 0..released.labels().len() as u32;
        if in_part { !labels.any(is_read) } else { !labels.all(is_read) }
    };
    release.table.quasi_identifiers.iter().copied().filter(is_unread).collect()
}

/// Pairs of a label and a value that are tried, at most.
const MOST_PAIRS: usize = 4_000_000;

/// Whether a value may be behind a label, as the label reads.
pub(super) fn covers(label: Option<&str>, cell: Option<&str>) -> bool {
    match (label, cell) {
        (Some(label), Some(cell)) => label == cell || labels::fit(label, cell),
        (Some(label), None) => !label.is_empty() && label.chars().all(|c| c == '*'),
        (label, cell) => label == cell,
    }
}

/// The label of a raw cell in a column of which nobody says how it was generalized: the same text, else the only label that the
/// text lies in.
pub(crate) fn label_around(
    cell: Option<&str>,
    released: &Column,
    code_of: &HashMap<Option<&str>, u32>,
) -> Option<u32> {
    if let Some(&code) = code_of.get(&cell) {
        return Some(code);
    }
    let cell = cell.filter(|_| released.labels().len() <= MOST_LABELS)?;
    let mut around = (0..released.labels().len() as u32)
        .filter(|&code| released.cell(code).is_some_and(|label| labels::fit(label, cell)));
    let found = around.next()?;
    around.next().is_none().then_some(found)
}

/// Labels that a cell is tried on, at most.
const MOST_LABELS: usize = 10_000;

/// How the column at `place` was generalized; `None` for columns that are released as they are.
pub(super) fn generalization(release: &ReleaseTable, place: usize) -> Option<&Generalization> {
    let position = release.table.quasi_identifiers.iter().position(|&known| known == place)?;
    release.generalizations.get(position)
}

/// The columns that could have been a level finer, with the finer labels of the records.
pub(super) fn finer(release: &ReleaseTable, table: &Microdata, classes: &Classes) -> Vec<FinerColumn> {
    if !release.facts.has_transformation {
        return Vec::new();
    }
    if let Some(boxed) = Boxed::of(release, table) {
        return boxed.finer(classes);
    }
    let mut columns = Vec::new();
    for &place in &release.table.quasi_identifiers {
        let Some(generalization) = generalization(release, place).filter(|known| known.level > 0) else {
            continue;
        };
        let name = release.table.data.columns()[place].name();
        let Some(raw) = table.place(name).map(|place| &table.columns()[place]) else { continue };
        let below = Generalization { level: generalization.level - 1, ..generalization.clone() };
        let mut numbers: BTreeMap<Option<String>, u32> = BTreeMap::new();
        let by_value: Vec<Option<u32>> = labels_of(raw, &below)
            .map(|label| {
                let next = numbers.len() as u32;
                label.map(|label| *numbers.entry(label).or_insert(next))
            })
            .collect();
        let mut names = vec![String::new(); numbers.len()];
        for (label, number) in numbers {
            names[number as usize] = label.unwrap_or_else(|| "(missing)".to_owned());
        }
        let codes = raw.codes().iter().map(|&code| by_value[code as usize]).collect();
        columns.push(FinerColumn { place, labels: names, codes, by_class: None, by_label: None });
    }
    columns
}

/// The label of each value of a raw column; `None` for values that the hierarchy does not know.
fn labels_of<'a>(
    raw: &'a Column,
    generalization: &'a Generalization,
) -> impl Iterator<Item = Option<Option<String>>> + 'a {
    (0..raw.labels().len() as u32).map(|code| generalization.label_of(raw.cell(code)).ok())
}

/// The code of each cell of a released column.
pub(super) fn codes_of(column: &Column) -> HashMap<Option<&str>, u32> {
    (0..column.labels().len() as u32).map(|code| (column.cell(code), code)).collect()
}
