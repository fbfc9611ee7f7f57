//! Does the file have exactly the announced columns?

use super::{Release, repeated};
use crate::Check;

/// Unexpected columns are named by position only: without a header the "names" would be somebody's cells.
pub(super) fn check(release: &Release<'_>) -> Check {
    let announced: Vec<&str> =
        release.manifest.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let found: Vec<&str> = release.data.columns.iter().map(|column| column.name.as_str()).collect();
    let mut problems = Vec::new();
    for name in repeated(announced.iter().copied()) {
        problems.push(format!("the manifest lists column {name} twice"));
    }
    for name in announced.iter().filter(|name| !found.contains(name)) {
        problems.push(format!("column {name} is not in the file"));
    }
    for (index, name) in found.iter().enumerate() {
        if !announced.contains(name) {
            problems.push(format!("column {} of the file is not in the manifest", index + 1));
        } else if found[..index].contains(name) {
            problems.push(format!("column {} of the file repeats {name}", index + 1));
        }
    }
    if problems.is_empty() && announced != found {
        problems.push("the columns are in another order than in the manifest".to_owned());
    }
    Check::new("columns", None, &problems, format!("{} columns, as announced", found.len()))
        .comparing(announced.len(), found.len())
}

/// Is there text in the file that belongs to no row?
pub(super) fn check_residue(release: &Release<'_>) -> Check {
    let leftovers = release.data.columns.iter().enumerate().filter(|(_, column)| column.residue > 0);
    let problems: Vec<String> = leftovers
        .map(|(index, column)| {
            format!("column {} carries {} texts that no row shows", index + 1, column.residue)
        })
        .collect();
    Check::new("residue", None, &problems, "nothing in the file but its rows")
}
