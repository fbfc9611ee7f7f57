//! Raw records written with the labels of a release.

use super::boxes::Boxed;
use super::labels;
use crate::{Generalization, ReleaseTable};
use paravent_evidence::attack::finer::FinerColumn;
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::microdata::{Column, Microdata};
use std::collections::{BTreeMap, HashMap};

/// The records of `table` in the columns that the release has too. One look-up per distinct value, then one per cell.
pub(super) fn project(release: &ReleaseTable, table: &Microdata) -> Projection {
    let (mut places, mut codes) = (Vec::new(), Vec::new());
    let boxed = Boxed::of(release, table);
    for (place, released) in release.table.data.columns().iter().enumerate() {
        let Some(raw) = table.place(released.name()).map(|place| &table.columns()[place]) else { continue };
        if let Some(shown) = boxed.as_ref().and_then(|boxed| boxed.codes(place)) {
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
                (0..raw.labels().len() as u32)
                    .map(|code| as_it_reads(raw.cell(code), released, &code_of, is_quasi))
                    .collect()
            }
        };
        places.push(place);
        codes.push(raw.codes().iter().map(|&code| by_value[code as usize]).collect());
    }
    Projection::new(places, codes).with_people(table.people().map(<[u32]>::to_vec))
}

/// The label of a raw cell in a column of which nobody says how it was generalized: the same text, else the only label that the
/// text lies in.
fn as_it_reads(
    cell: Option<&str>,
    released: &Column,
    code_of: &HashMap<Option<&str>, u32>,
    is_quasi: bool,
) -> Option<u32> {
    if let Some(&code) = code_of.get(&cell) {
        return Some(code);
    }
    let cell = cell.filter(|_| is_quasi && released.labels().len() <= MOST_LABELS)?;
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
pub(super) fn finer(release: &ReleaseTable, table: &Microdata) -> Vec<FinerColumn> {
    if let Some(boxed) = Boxed::of(release, table) {
        return boxed.finer();
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
        columns.push(FinerColumn { place, labels: names, codes });
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
