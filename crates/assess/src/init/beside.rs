//! Hierarchy files in the folder `hierarchies` beside the table.
//!
//! `age.csv` is for the column `age`; `adult_hierarchy_age.csv`, as ARX's examples are called, is as well. A file is taken up if it has a
//! line for every value of the column and is a hierarchy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use paravent_core::hierarchy::{Hierarchy, TableHierarchy};
use paravent_job::Role;
use paravent_prepare::hierarchies::{FileOptions, HierarchyLines};
use paravent_tables::read::Input;

use super::profile::Profile;
use super::roles::Assigned;
use super::shape::Shape;
use super::table::seen_from;

/// The folder.
const FOLDER: &str = "hierarchies";

/// A shape for each column that a file was found for, and notes on files that do not fit.
pub(super) fn find(
    input: &Input,
    profile: &Profile,
    roles: &[Assigned],
    job_file: &Path,
) -> (BTreeMap<usize, Shape>, Vec<String>) {
    let (mut found, mut notes) = (BTreeMap::new(), Vec::new());
    let folder = input.options().path.parent().unwrap_or(Path::new("")).join(FOLDER);
    let Ok(entries) = std::fs::read_dir(&folder) else { return (found, notes) };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for (index, column) in profile.columns.iter().enumerate() {
        if roles[index].role != Role::QuasiIdentifier {
            continue;
        }
        let Some(path) = files.iter().find(|path| is_for(path, &column.name)) else { continue };
        let shown = path.display();
        match levels(path, column) {
            Ok(levels) => {
                found.insert(index, Shape::File { path: seen_from(job_file, path), levels });
            }
            Err(why) => notes.push(format!("{shown} is not used for `{}`: {why}.", column.name)),
        }
    }
    let serialized =
        files.iter().find(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ahs")));
    if let Some(path) = serialized {
        notes.push(format!(
            "{} is a builder that ARX stores as serialized Java objects, which are not read; export the hierarchy itself in ARX (File > Export hierarchy), which writes CSV.",
            path.display()
        ));
    }
    (found, notes)
}

fn is_for(path: &Path, column: &str) -> bool {
    let is_text = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_text) else {
        return false;
    };
    let (stem, column) = (stem.to_lowercase(), column.to_lowercase());
    stem == column || stem.ends_with(&format!("_hierarchy_{column}")) || stem == format!("{column}.hierarchy")
}

/// The highest level, or why the file is no hierarchy of the column.
fn levels(path: &Path, column: &super::profile::Column) -> Result<u8, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let lines = HierarchyLines::parse(&bytes, path, &FileOptions::default())
        .map_err(|_| "it cannot be read as lines of value;label;…".to_owned())?;
    let table = TableHierarchy::new(lines.rows.to_rows())
        .map_err(|_| "it is no hierarchy; see paravent hierarchy validate".to_owned())?;
    let hierarchy = Hierarchy::Table(table);
    let values = column.values().ok_or("the column has too many values")?;
    let mut present: Vec<Option<&str>> = values.map(|(value, _)| Some(value)).collect();
    let count = present.len();
    present.extend((column.missing > 0).then_some(None));
    match hierarchy.ladder(&present) {
        Ok(ladder) if ladder.cardinality(ladder.max_level()) == 1 => Ok(hierarchy.max_level()),
        Ok(_) => Err("its last level has more than one label".to_owned()),
        Err(_) => Err(format!("it lacks lines for some of the {count} values")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_name_of_the_column() {
        for (file, column) in
            [("age.csv", "age"), ("Marital-Status.csv", "marital-status"), ("adult_hierarchy_sex.CSV", "sex")]
        {
            assert!(is_for(Path::new(file), column), "{file}");
        }
        assert!(!is_for(Path::new("age.ahs"), "age") && !is_for(Path::new("page.csv"), "age"));
    }
}
