//! Made-up tables of any size, as a folder of Parquet files with hierarchies and a job beside it. Never held in memory.

use super::generate::{Draws, without_rows};
use super::{Column, Shape};
use crate::audience::Audience;
use crate::error::BenchError;
use paravent_core::hierarchy::Hierarchy;
use paravent_pipeline::write::{ColumnKind, OutputFormat, ReleasedColumn, TableWriter};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Rows of a file.
const FILE_ROWS: u64 = 1_000_000;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lake {
    /// The folder of the table.
    pub table: PathBuf,
    /// A job about it.
    pub job: PathBuf,
    /// Files of the table.
    pub files: u64,
    /// Rows of the table.
    pub rows: u64,
    /// Bytes of the table.
    pub bytes: u64,
}

/// Writes the table of a shape: `table/part-00000.parquet` and so on, `hierarchies/COLUMN.csv`, and `paravent.toml`, which asks for
/// 5-anonymity. The folder must not be there yet; where something fails it goes away again.
pub fn write(shape: &Shape, folder: &Path, audience: &dyn Audience) -> Result<Lake, BenchError> {
    fs::create_dir(folder).map_err(BenchError::io(folder))?;
    let written = written(shape, folder, audience);
    if written.is_err() {
        let _ = fs::remove_dir_all(folder);
    }
    written
}

fn written(shape: &Shape, folder: &Path, audience: &dyn Audience) -> Result<Lake, BenchError> {
    let (table, hierarchies) = (folder.join("table"), folder.join("hierarchies"));
    for inner in [&table, &hierarchies] {
        fs::create_dir(inner).map_err(BenchError::io(inner))?;
    }
    let columns: Result<Vec<Column>, BenchError> = shape.columns.iter().map(without_rows).collect();
    let columns = columns?;
    for column in &columns {
        let file = hierarchies.join(format!("{}.csv", column.coded.name));
        write_hierarchy(column, &file).map_err(BenchError::io(&file))?;
    }
    let cells = |column: &Column| ReleasedColumn {
        name: column.coded.name.clone(),
        kind: ColumnKind::Text,
        cells: column.coded.dictionary.cells().into_iter().map(|cell| cell.map(str::to_owned)).collect(),
    };
    let released: Vec<ReleasedColumn> = columns.iter().map(cells).collect();
    let draws: Vec<Draws> = (0..columns.len()).map(|position| Draws::new(shape, position)).collect();
    audience.reading(&shape.name);
    let rows = shape.rows as u64;
    let files = rows.div_ceil(FILE_ROWS);
    let one = |file: u64| {
        let path = table.join(format!("part-{file:05}.parquet"));
        let rows = file * FILE_ROWS..rows.min((file + 1) * FILE_ROWS);
        write_file(&path, rows, &released, &draws, audience)
    };
    let bytes = (0..files).into_par_iter().map(one).try_reduce(|| 0, |sum, bytes| Ok(sum + bytes))?;
    let job = folder.join("paravent.toml");
    fs::write(&job, job_text(shape)).map_err(BenchError::io(&job))?;
    Ok(Lake { table, job, files, rows, bytes })
}

fn write_file(
    path: &Path,
    rows: std::ops::Range<u64>,
    columns: &[ReleasedColumn],
    draws: &[Draws],
    audience: &dyn Audience,
) -> Result<u64, BenchError> {
    let failed = |error: paravent_pipeline::write::WriteError| BenchError::internal(error.to_string());
    let file = File::create(path).map_err(BenchError::io(path))?;
    let mut writer = TableWriter::new(path, file, &OutputFormat::Parquet, columns).map_err(failed)?;
    let mut codes = vec![0u32; draws.len()];
    for row in rows {
        if row % (1 << 16) == 0 && audience.stop() {
            return Err(BenchError::Stopped);
        }
        codes.iter_mut().zip(draws).for_each(|(code, draws)| *code = draws.code(row));
        writer.push(&codes, 1).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    fs::metadata(path).map(|file| file.len()).map_err(BenchError::io(path))
}

/// The lines of a column's hierarchy.
pub(crate) fn write_hierarchy(column: &Column, path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    if let Some(Hierarchy::Table(table)) = column.levels.as_ref().map(|levels| &levels.hierarchy) {
        for line in table.lines().iter() {
            write!(out, "{}", line.value().unwrap_or_default())?;
            line.labels().try_for_each(|label| write!(out, ";{label}"))?;
            writeln!(out)?;
        }
    }
    out.flush()
}

/// 5-anonymity over all columns but the sensitive one, which is released as it is.
fn job_text(shape: &Shape) -> String {
    let mut job = "version = 1\n\n[input]\npath = \"table\"\n".to_owned();
    for (position, column) in shape.columns.iter().enumerate() {
        let name = &column.name;
        let role = match position == shape.sensitive {
            true => "role = \"sensitive\"\n".to_owned(),
            false => format!("role = \"quasi-identifier\"\nhierarchy = \"hierarchies/{name}.csv\"\n"),
        };
        // Writing to a string cannot fail.
        let _ = write!(job, "\n[[attributes]]\nname = \"{name}\"\ntype = \"string\"\n{role}");
    }
    job += "\n[privacy]\nsuppression_limit = 0.05\nmodels = [\n  { model = \"k-anonymity\", k = 5 },\n]\n";
    job += "\n[search]\nmetric = \"loss\"\nmemory = \"1GiB\"\n";
    job + "\n[output]\npath = \"release\"\nformat = \"parquet\"\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;
    use crate::dataset::DataSet;
    use paravent_pipeline::read::{Batch, Input, ReadOptions};

    #[test]
    fn the_files_hold_the_rows_of_the_table_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let shape: Shape = "adult,rows=3000,seed=3".parse().unwrap();
        let lake = write(&shape, &folder.path().join("lake"), &Nobody).unwrap();
        assert_eq!((lake.rows, lake.files), (3000, 1));
        let held = DataSet::generate(&shape).unwrap();
        let mut source = Input::new(ReadOptions::new(&lake.table)).unwrap().open().unwrap();
        let (mut batch, mut row) = (Batch::default(), 0);
        while source.next_batch(&mut batch).unwrap() {
            for at in 0..batch.rows {
                for (column, cells) in held.columns.iter().zip(&batch.columns) {
                    assert_eq!(column.coded.dictionary.cell(column.codes[row]), cells.get(at));
                }
                row += 1;
            }
        }
        assert_eq!(row, 3000);
    }

    #[test]
    fn a_run_that_is_stopped_leaves_nothing() {
        struct Impatient;
        impl Audience for Impatient {
            fn stop(&self) -> bool {
                true
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("lake");
        let shape: Shape = "rows=100,qi=3".parse().unwrap();
        assert!(matches!(write(&shape, &place, &Impatient), Err(BenchError::Stopped)));
        assert!(!place.exists());
        fs::create_dir(&place).unwrap();
        assert!(matches!(write(&shape, &place, &Nobody), Err(BenchError::Io { .. })));
        assert!(place.exists(), "what was there before stays");
    }
}
