//! Data folders: a table with a hierarchy file per column, or a job file.

use super::sensitive::sensitive_of;
use super::{Column, DataSet, Levels, Origin, job_folder};
use crate::audience::Audience;
use crate::error::BenchError;
use paravent_core::hierarchy::{Hierarchy, LadderError};
use paravent_core::values::ValueType;
use paravent_pipeline::encode::{CodedColumn, ScanError, scan};
use paravent_pipeline::hierarchies::{FileOptions, HierarchyLines};
use paravent_pipeline::job::Problem;
use paravent_pipeline::read::{Format, Input, ReadOptions};
use std::fs;
use std::path::{Path, PathBuf};

const JOB: &str = "paravent.toml";
const HIERARCHY_FOLDERS: [&str; 2] = ["hierarchies", "hierarchy"];

/// The data set of a folder; where it has no table of its own, those of its subfolders that have one and
/// whose names are `wanted`.
pub fn load(
    folder: &Path,
    wanted: &dyn Fn(&str) -> bool,
    audience: &dyn Audience,
) -> Result<Vec<DataSet>, BenchError> {
    let read = |path: &Path| {
        audience.reading(&name_of(path));
        read(path, audience)
    };
    match read(folder) {
        Err(BenchError::NoTable { path }) => {
            let mut sets = Vec::new();
            for inner in subfolders(folder)? {
                if !wanted(&name_of(&inner)) {
                    continue;
                }
                match read(&inner) {
                    Ok(set) => sets.push(set),
                    Err(BenchError::NoTable { .. }) => {}
                    Err(other) => return Err(other),
                }
            }
            if sets.is_empty() { Err(BenchError::NoTable { path }) } else { Ok(sets) }
        }
        other => other.map(|set| vec![set]),
    }
}

fn read(folder: &Path, audience: &dyn Audience) -> Result<DataSet, BenchError> {
    let name = name_of(folder);
    let job = folder.join(JOB);
    if job.is_file() {
        return job_folder::read(&job, name, audience);
    }
    let layout = Layout::discover(folder)?;
    let mut input = Input::new(ReadOptions::new(&layout.table))?.open()?;
    let names = input.columns().to_vec();
    let hierarchies: Vec<Option<PathBuf>> = names.iter().map(|name| layout.hierarchy_of(name)).collect();
    if hierarchies.iter().all(Option::is_none) {
        return Err(BenchError::NoHierarchies {
            path: folder.to_owned(),
            table: name_of(&layout.table),
            example: names.first().cloned().unwrap_or_default(),
        });
    }
    let positions: Vec<usize> = (0..names.len()).collect();
    input.select(&positions)?;
    let mut coded: Vec<CodedColumn> =
        names.iter().map(|name| CodedColumn::new(name, ValueType::String)).collect();
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
    let on_row = |row: &[u32]| codes.iter_mut().zip(row).for_each(|(column, &code)| column.push(code));
    let rows = scan(input, layout.table.clone(), &mut coded, on_row, |_| !audience.stop())?;
    if rows == 0 {
        return Err(ScanError::NoRows { path: layout.table }.into());
    }
    let mut notes = Vec::new();
    let mut columns = Vec::new();
    let mut files = Vec::new();
    for ((coded, codes), file) in coded.into_iter().zip(codes).zip(hierarchies) {
        let mut column = Column::sorted(coded, codes);
        match file {
            Some(file) => {
                column.levels = Some(climb(&file, &column.coded)?);
                files.push((column.coded.name.clone(), file));
            }
            None => notes
                .push(format!("column {} has no hierarchy: it is no quasi-identifier", column.coded.name)),
        }
        columns.push(column);
    }
    let sensitive = sensitive_of(&columns);
    let rows = usize::try_from(rows).map_err(|_| BenchError::internal("too many rows".to_owned()))?;
    let origin = Origin::Files { table: layout.table, hierarchies: files };
    Ok(DataSet { name, rows, columns, sensitive, origin, notes })
}

fn climb(file: &Path, column: &CodedColumn) -> Result<Levels, BenchError> {
    let table = HierarchyLines::read(file, &FileOptions::default())?.table()?;
    Levels::climb(Hierarchy::Table(table), column).map_err(|error| match error {
        LadderError::Unplaced(unplaced) => {
            let message = format!("{} values of column {} have no line here", unplaced.len(), column.name);
            Problem::new(file, message)
                .advise("Add a line for each of them, or run `paravent hierarchy repair`")
                .into()
        }
        other => Problem::new(file, other.to_string()).into(),
    })
}

/// Which file is what.
struct Layout {
    table: PathBuf,
    /// Files that may be hierarchies.
    others: Vec<PathBuf>,
}

impl Layout {
    fn discover(folder: &Path) -> Result<Layout, BenchError> {
        let mut files = data_files(folder)?;
        let (mut others, mut tables): (Vec<PathBuf>, Vec<PathBuf>) =
            files.drain(..).partition(|file| stem(file).to_lowercase().contains("hierarchy"));
        for inner in HIERARCHY_FOLDERS {
            let inner = folder.join(inner);
            if inner.is_dir() {
                others.extend(data_files(&inner)?);
            }
        }
        let name = name_of(folder);
        let table = match tables.iter().position(|file| stem(file) == name) {
            Some(position) => tables.swap_remove(position),
            None if tables.len() <= 1 => {
                tables.pop().ok_or_else(|| BenchError::NoTable { path: folder.to_owned() })?
            }
            None => {
                let names = tables.iter().map(|file| name_of(file)).collect();
                return Err(BenchError::SeveralTables { path: folder.to_owned(), names });
            }
        };
        // Beside the table, too, a file may be called like a column.
        others.extend(tables);
        Ok(Layout { table, others })
    }

    /// `age.csv`, `adult_hierarchy_age.csv` or `age.hierarchy.csv`; if there is none, the same with other capitals.
    fn hierarchy_of(&self, column: &str) -> Option<PathBuf> {
        let called = |file: &Path, column: &str, fold: fn(&str) -> String| {
            let (stem, column) = (fold(&stem(file)), fold(column));
            stem == column
                || stem.strip_suffix(".hierarchy") == Some(column.as_str())
                || stem.split_once("_hierarchy_").is_some_and(|(_, end)| end == column)
        };
        let find =
            |fold: fn(&str) -> String| self.others.iter().find(|file| called(file, column, fold)).cloned();
        find(str::to_owned).or_else(|| find(str::to_lowercase))
    }
}

fn data_files(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let mut files = entries(folder)?;
    files.retain(|path| {
        path.is_file() && Format::of_path(path).is_some() && !is_hidden(path) && !is_notes(path)
    });
    Ok(files)
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let mut folders = entries(folder)?;
    folders.retain(|path| {
        path.is_dir() && !is_hidden(path) && !HIERARCHY_FOLDERS.contains(&name_of(path).as_str())
    });
    Ok(folders)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut paths = read().map_err(BenchError::io(folder))?;
    paths.sort();
    Ok(paths)
}

/// `.txt` may be a table, but also what somebody has to say about it.
fn is_notes(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "txt")
}

fn is_hidden(path: &Path) -> bool {
    name_of(path).starts_with('.')
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn name_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path
            .canonicalize()
            .ok()
            .and_then(|path| path.file_name().map(|n| n.to_string_lossy().into_owned()))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn loaded(files: &[(&str, &str)]) -> Result<Vec<DataSet>, BenchError> {
        load(folder(files).path(), &|_| true, &Nobody)
    }

    const SEX: (&str, &str) = ("hierarchies/sex.csv", "m;*\nf;*\n");

    #[test]
    fn delimiters_and_names_are_found_out() {
        for table in ["sex;age\nm;3\nf;4\n", "sex,age\nm,3\nf,4\n", "sex\tage\nm\t3\nf\t4\n"] {
            let sets = loaded(&[("t.csv", table), SEX, ("set_hierarchy_age.csv", "3,*\n4,*\n")]).unwrap();
            assert_eq!((sets[0].rows, sets[0].quasi_identifiers()), (2, vec![0, 1]), "{table}");
            assert_eq!(sets[0].columns[0].codes, [1, 0], "codes follow the texts");
        }
    }

    #[test]
    fn a_folder_of_data_folders_is_all_of_them_that_have_a_table() {
        let sets = loaded(&[
            ("b/b.csv", "sex\nm\n"),
            ("b/hierarchies/SEX.csv", "m;*\n"),
            ("a/a.csv", "sex\nf\n"),
            ("a/hierarchies/sex.csv", "f;*\n"),
            ("c/hierarchies/sex.csv", "m;*\n"),
        ]);
        assert_eq!(sets.unwrap().iter().map(|set| set.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let said = |files: &[(&str, &str)]| loaded(files).unwrap_err().to_string();
        assert!(said(&[SEX]).contains("has no table"));
        assert!(
            said(&[("x.csv", "a\n1\n"), ("y.csv", "b\n1\n")]).contains("x.csv, y.csv could all be the table")
        );
        assert!(said(&[("x.csv", "a\n1\n")]).contains("hierarchies/a.csv"));
        let unplaced = said(&[("x.csv", "sex\nsecret\nm\n"), SEX]);
        assert!(unplaced.contains("1 values of column sex") && !unplaced.contains("secret"), "{unplaced}");
    }
}
