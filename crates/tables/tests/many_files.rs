//! Tables in many files, read in parts at the same time.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use paravent_core::values::ValueType;
use paravent_tables::encode::{CodedColumn, Counting, ScanError, count_parts};
use paravent_tables::read::{Batch, Input, ReadError, ReadOptions, Source};
use paravent_tables::spill::{Budget, SpillError};
use std::collections::BTreeMap;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read(path: &Path) -> Result<String, ReadError> {
    let input = Input::new(ReadOptions::new(path))?;
    let mut source = input.open()?;
    let mut text = source.columns().join("|");
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for row in 0..batch.rows {
            let cells: Vec<&str> =
                batch.columns.iter().map(|column| column.get(row).unwrap_or("(none)")).collect();
            text += &format!("/{}", cells.join("|"));
        }
    }
    Ok(text)
}

#[test]
fn the_files_of_a_folder_are_one_table() {
    let folder = folder(&[
        ("b.csv", "y,x\n3,4\n"),
        ("a.csv", "x,y\n1,2\n"),
        ("deeper/c.csv", "x,y\n5,\n"),
        ("empty.csv", ""),
        ("_SUCCESS", ""),
        ("_temporary/d.csv", "z\n1\n"),
        (".a.csv.crc", "crc"),
        ("notes.md", "about it"),
    ]);
    assert_eq!(read(folder.path()).unwrap(), "x|y/1|2/4|3/5|(none)");
    assert_eq!(read(&folder.path().join("[ab].csv")).unwrap(), "x|y/1|2/4|3");
    assert_eq!(read(&folder.path().join("**/c.*")).unwrap(), "x|y/5|(none)");
    assert_eq!(read(&folder.path().join("dee*")).unwrap(), "x|y/5|(none)");
}

#[test]
fn folders_called_like_cells_are_columns() {
    let folder = folder(&[
        ("year=2023/site=a%2Fb/p.csv", "x\n1\n2\n"),
        ("year=2024/site=__HIVE_DEFAULT_PARTITION__/p.csv", "x\n3\n"),
    ]);
    assert_eq!(read(folder.path()).unwrap(), "x|year|site/1|2023|a/b/2|2023|a/b/3|2024|(none)");
    let mut source = Input::new(ReadOptions::new(folder.path())).unwrap().open().unwrap();
    source.select(&[2, 0]).unwrap();
    let mut batch = Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    assert_eq!((batch.columns[0].get(1), batch.columns[1].get(1)), (Some("a/b"), Some("2")));
}

#[test]
fn a_file_that_is_called_like_a_pattern_is_itself() {
    let folder = folder(&[("a[1].csv", "x\n1\n"), ("a1.csv", "x\n2\n")]);
    assert_eq!(read(&folder.path().join("a[1].csv")).unwrap(), "x/1");
    fs::remove_file(folder.path().join("a[1].csv")).unwrap();
    assert_eq!(read(&folder.path().join("a[1].csv")).unwrap(), "x/2");
}

#[test]
fn files_that_do_not_belong_together_are_named() {
    let said = |files: &[(&str, &str)]| read(folder(files).path()).unwrap_err().to_string();
    let other = said(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x,z\n1,2\n")]);
    assert!(other.contains("b.csv has other columns than") && other.contains("a.csv;"), "{other}");
    let more = said(&[("a.csv", "x\n1\n"), ("b.csv", "x,z\n1,2\n")]);
    assert!(more.contains("has other columns"), "{more}");
    let folders = said(&[("k=1/a.csv", "x\n1\n"), ("b.csv", "x\n1\n")]);
    assert!(folders.contains("has other columns"), "{folders}");
    let format = said(&[("a.csv", "x\n1\n"), ("b.jsonl", "{\"x\": 1}\n")]);
    assert!(format.contains("b.jsonl has another format than"), "{format}");
    let none = said(&[("notes.md", "about it")]);
    assert!(none.contains("is a directory without a table in it"), "{none}");
    let folder = folder(&[("a.csv", "x\n1\n")]);
    let nothing = read(&folder.path().join("z*.csv")).unwrap_err().to_string();
    assert!(nothing.contains("no file matches"), "{nothing}");
}

#[test]
fn what_is_wrong_is_told_with_the_line_of_its_file() {
    let folder = folder(&[("a.csv", "x,y\n1,2\n3,4\n"), ("b.csv", "x,y\n1,2\n3\n")]);
    let said = read(folder.path()).unwrap_err().to_string();
    assert!(said.contains("b.csv, line 3"), "{said}");
}

#[test]
fn a_file_that_comes_goes_or_changes_is_noticed() {
    let folder = folder(&[("a.csv", "x\n1\n"), ("b.csv", "x\n2\n")]);
    let input = Input::new(ReadOptions::new(folder.path())).unwrap();
    let (before, digest) = (input.fingerprint().unwrap(), input.digest().unwrap());
    input.unchanged_since(&before).unwrap();
    let again = Input::new(ReadOptions::new(folder.path())).unwrap();
    assert_eq!(again.digest().unwrap(), digest);
    fs::write(folder.path().join("c.csv"), "x\n3\n").unwrap();
    assert!(matches!(input.unchanged_since(&before), Err(ReadError::Changed { .. })));
    fs::remove_file(folder.path().join("c.csv")).unwrap();
    input.unchanged_since(&before).unwrap();
    // The clock of file systems is coarse.
    thread::sleep(Duration::from_millis(30));
    fs::write(folder.path().join("b.csv"), "x\n4\n").unwrap();
    assert!(matches!(input.unchanged_since(&before), Err(ReadError::Changed { .. })));
    assert_ne!(again.digest().unwrap(), digest);
}

fn write_parquet(path: &Path, rows: i32, group: usize) {
    let fields = [Field::new("n", DataType::Int32, true), Field::new("t", DataType::Utf8, true)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let numbers: ArrayRef = Arc::new((0..rows).map(Some).collect::<Int32Array>());
    let texts = (0..rows).map(|row| (row % 5 > 0).then(|| format!("t{}", row % 7)));
    let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).unwrap();
    writer.write(&RecordBatch::try_new(schema, vec![numbers, texts]).unwrap()).unwrap();
    writer.close().unwrap();
}

/// The number of a row, and its cells.
type Row = (u64, Vec<Option<String>>);

/// All rows of a source.
fn numbered(source: Source) -> Vec<Row> {
    let (mut source, mut batch, mut rows) = (source, Batch::default(), Vec::new());
    while source.next_batch(&mut batch).unwrap() {
        for row in 0..batch.rows {
            let cells = batch.columns.iter().map(|column| column.get(row).map(str::to_owned)).collect();
            rows.push((batch.first_row + row as u64, cells));
        }
    }
    rows
}

#[test]
fn the_parts_of_a_parquet_file_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write_parquet(&path, 1000, 90);
    let opened = || {
        let mut source = Input::new(ReadOptions::new(&path)).unwrap().open().unwrap();
        source.select(&[1, 0]).unwrap();
        source
    };
    let whole = numbered(opened());
    assert_eq!(whole.len(), 1000);
    for parts in [1, 2, 5, 12, 100] {
        let split = opened().split(parts).unwrap();
        assert_eq!(split.len(), parts.min(12));
        // Read the other way round: no part depends on another.
        let mut read: Vec<_> = split.into_iter().rev().map(numbered).collect();
        read.reverse();
        assert_eq!(read.concat(), whole, "{parts}");
    }
}

#[test]
fn a_folder_of_parquet_files_is_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    for (file, rows) in [("a", 300), ("b", 1), ("c", 200)] {
        write_parquet(&folder.path().join(format!("{file}.parquet")), rows, 100);
    }
    let opened = || Input::new(ReadOptions::new(folder.path())).unwrap().open().unwrap();
    let cells = |rows: Vec<Row>| rows.into_iter().map(|row| row.1).collect::<Vec<_>>();
    let whole = cells(numbered(opened()));
    assert_eq!(whole.len(), 501);
    let split = opened().split(2).unwrap();
    assert_eq!(split.len(), 2);
    assert_eq!(split.into_iter().flat_map(|part| cells(numbered(part))).collect::<Vec<_>>(), whole);
}

/// Cells and counts of a table in files, read in so many parts.
fn counted(folder: &Path, parts: usize, budget: Budget) -> Result<BTreeMap<Vec<String>, u64>, ScanError> {
    let mut source = Input::new(ReadOptions::new(folder))?.open()?;
    source.select(&[1, 0])?;
    let parts = source.split(parts)?;
    let mut columns =
        vec![CodedColumn::new("b", ValueType::Integer), CodedColumn::new("a", ValueType::String)];
    let counting = Counting { path: folder, budget, last: Some(7) };
    let tuples = count_parts(parts, &mut columns, counting, |_| true)?;
    let mut counts = BTreeMap::new();
    tuples.finish()?.each(|codes, count| {
        assert_eq!(codes[2], 7);
        let cell = |at: usize| columns[at].dictionary.cell(codes[at]).unwrap_or("(none)").to_owned();
        *counts.entry(vec![cell(0), cell(1)]).or_default() += count;
        Ok::<(), SpillError>(())
    })?;
    Ok(counts)
}

fn seven_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in 0..7 {
        let rows = (0..40).map(|row| format!("{},{}\n", (row * 7 + file) % 5, (row * file) % 11));
        let text: String = std::iter::once("a,b\n".to_owned()).chain(rows).collect();
        fs::write(folder.path().join(format!("{file}.csv")), text).unwrap();
    }
    folder
}

#[test]
fn parts_count_what_one_pass_counts() {
    let folder = seven_files();
    let expected = counted(folder.path(), 1, Budget::unlimited()).unwrap();
    assert_eq!(expected.values().sum::<u64>(), 280);
    for parts in [2, 3, 7, 20] {
        for budget in [Budget::unlimited(), Budget::of_bytes(400)] {
            assert_eq!(counted(folder.path(), parts, budget).unwrap(), expected, "{parts}");
        }
    }
}

#[test]
fn the_first_wrong_cell_is_told_whoever_is_quicker() {
    let folder = seven_files();
    fs::write(folder.path().join("2.csv"), "a,b\n1,1\n1,secret\n").unwrap();
    fs::write(folder.path().join("5.csv"), "a,b\n1,other\n").unwrap();
    for parts in [1, 2, 7] {
        let said = counted(folder.path(), parts, Budget::unlimited()).unwrap_err().to_string();
        assert!(said.contains("2.csv, line 3: column b") && !said.contains("secret"), "{said}");
    }
}

#[test]
fn a_part_that_is_told_to_stop_stops() {
    let folder = seven_files();
    let mut source = Input::new(ReadOptions::new(folder.path())).unwrap().open().unwrap();
    source.select(&[0]).unwrap();
    let mut columns = vec![CodedColumn::new("a", ValueType::String)];
    let counting = Counting { path: folder.path(), budget: Budget::unlimited(), last: None };
    let stopped = count_parts(source.split(3).unwrap(), &mut columns, counting, |rows| rows < 50);
    assert!(matches!(stopped, Err(ScanError::Stopped)));
}
