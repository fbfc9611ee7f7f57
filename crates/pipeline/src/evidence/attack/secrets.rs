//! What is known of sensitive columns beyond the release: how frequent their values are, and which belong together.

use super::manifest::Promised;
use super::project::codes_of;
use super::{AttackError, Similar};
use crate::hierarchies::{FileOptions, HierarchyLines};
use paravent_core::hierarchy::Hierarchy;
use paravent_evidence::attack::Grouping;
use paravent_evidence::microdata::{Column, Microdata};
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

/// The levels on which values of the column belong together: of a hierarchy file, or of the tree in the manifest.
pub(super) fn groupings(
    column: &Column,
    promised: &Promised,
    similar: &[Similar],
) -> Result<Vec<Grouping>, AttackError> {
    let mut groupings = Vec::new();
    for file in similar.iter().filter(|file| file.column == column.name()) {
        let hierarchy = Hierarchy::Table(HierarchyLines::read(&file.path, &FileOptions::default())?.table()?);
        for level in 1..hierarchy.max_level() {
            let label = |code: u32| match hierarchy.label(column.cell(code), level) {
                Ok(label) => label.map_or_else(|| "(missing)".to_owned(), |label| label.into_owned()),
                // A value without a line belongs to nobody but itself.
                Err(_) => format!("{} (not in the hierarchy)", column.cell(code).unwrap_or("(missing)")),
            };
            groupings.push(grouped(
                format!("{level} of the hierarchy"),
                (0..column.labels().len() as u32).map(label),
            ));
        }
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
    Ok(groupings)
}

fn grouped(level: String, labels: impl Iterator<Item = String>) -> Grouping {
    let labels: Vec<String> = labels.collect();
    let mut numbers: BTreeMap<&String, u32> = labels.iter().map(|label| (label, 0)).collect();
    numbers.values_mut().enumerate().for_each(|(number, place)| *place = number as u32);
    let group_of = labels.iter().map(|label| numbers[label]).collect();
    Grouping { level, group_of, names: numbers.into_keys().cloned().collect() }
}
