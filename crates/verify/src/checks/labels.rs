//! Is every cell what its column promises: a label of the level, a value of the type?
//!
//! Without the transformation nobody can tell which labels a level has: such columns are not judged, and the verdict says so.

use super::Release;
use crate::Check;
use crate::manifest::{Attribute, Levels};
use crate::types::Role;

/// One check per released column: `labels` for quasi-identifiers, `types` for the others.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    release
        .manifest
        .attributes
        .iter()
        .filter(|attribute| can_be_judged(release, attribute) && attribute.treatment.aggregate.is_none())
        .map(|attribute| {
            let name = attribute.name.as_str();
            let question = if attribute.role == Role::QuasiIdentifier { "labels" } else { "types" };
            let violated = |problem: String| Check::new(question, Some(name), &[problem], "");
            let Some(column) = release.data.column(name) else {
                return violated(format!("column {name} is not in the file"));
            };
            let Some(levels) = attribute.levels.filter(|_| release.transform.is_some()) else {
                let misfit = column.places(|cell| cell.is_some_and(|text| !attribute.kind.fits(text)));
                let problems: Vec<String> = misfit
                    .map(|place| {
                        format!(
                            "{} cells do not fit the type, first in row {}, column {name}",
                            place.cells,
                            place.first_row + 1
                        )
                    })
                    .into_iter()
                    .collect();
                return Check::new(question, Some(name), &problems, "every cell fits the type");
            };
            let recoding = release.transform.and_then(|transform| transform.column(name));
            let Some((_, hierarchy)) = recoding.and_then(|column| column.levels.as_ref()) else {
                return violated(format!("column {name} has no hierarchy in the transformation"));
            };
            // A level above the hierarchy's last has no labels.
            let range = levels.lowest..=levels.highest.min(hierarchy.height().max(levels.lowest));
            let is_label =
                |cell: Option<&str>| range.clone().any(|level| hierarchy.admits(level, cell, attribute.kind));
            let misfit = column.places(|cell| !is_label(cell));
            let level = levels.name();
            let cells = misfit.map_or(0, |place| place.cells);
            let problems: Vec<String> = misfit
                .map(|place| {
                    format!(
                        "{cells} cells are no labels of level {level}, first in row {}, column {name}",
                        place.first_row + 1
                    )
                })
                .into_iter()
                .collect();
            Check::new(question, Some(name), &problems, format!("every cell is a label of level {level}"))
                .comparing(said(levels), serde_json::json!({ "misfits": cells }))
        })
        .collect()
}

/// One level, or the lowest and the highest of several.
pub(crate) fn said(levels: Levels) -> serde_json::Value {
    match levels.lowest == levels.highest {
        true => serde_json::json!(levels.lowest),
        false => serde_json::json!([levels.lowest, levels.highest]),
    }
}

/// Whether the columns' cells can be held against anything: labels above level 0 need their hierarchy.
pub(crate) fn can_be_judged(release: &Release<'_>, attribute: &Attribute) -> bool {
    if release.data.column(&attribute.name).is_some_and(|column| column.unseen) {
        return false;
    }
    release.transform.is_some() || attribute.levels.is_none_or(|levels| levels.highest == 0)
}

/// With `spreadsheet_safe`: no cell may be taken for a formula.
pub(super) fn check_spreadsheet(release: &Release<'_>) -> Option<Check> {
    let crate::manifest::Format::Csv(dialect) = &release.manifest.output.format else { return None };
    let found =
        release.data.columns.iter().enumerate().filter_map(|(index, column)| Some((index, column.formulas?)));
    let problems: Vec<String> = found
        .map(|(index, place)| {
            format!(
                "{} cells look like a formula, first in row {}, column {}",
                place.cells,
                place.first_row + 1,
                index + 1
            )
        })
        .collect();
    dialect
        .spreadsheet_safe
        .then(|| Check::new("spreadsheet", None, &problems, "no cell looks like a formula"))
}
