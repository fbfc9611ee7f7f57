//! Tables as files that Spark reads: made here from delimited text, with types of their own.

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use parquet::arrow::ArrowWriter;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The types of the random tables.
pub fn types_of_cases() -> [(&'static str, DataType); 4] {
    [
        ("age", DataType::Int16),
        ("birth", DataType::Date32),
        ("score", DataType::Decimal128(12, 3)),
        ("inside", DataType::Boolean),
    ]
}

/// Writes the columns of a file of delimited text as Parquet. Empty cells are missing; columns that are not named hold text.
pub fn to_parquet(csv: &Path, parquet: &Path, types: &[(&str, DataType)]) {
    write(&columns(csv, types), parquet);
}

/// The same in several files, row by row in turn.
pub fn to_folder(csv: &Path, folder: &Path, types: &[(&str, DataType)], files: usize) {
    let all = columns(csv, types);
    fs::create_dir_all(folder).unwrap();
    let size = all.num_rows().div_ceil(files).max(1);
    for at in 0..files {
        let start = (at * size).min(all.num_rows());
        let part = all.slice(start, size.min(all.num_rows() - start));
        write(&part, &folder.join(format!("part-{at}.parquet")));
    }
}

fn columns(csv: &Path, types: &[(&str, DataType)]) -> RecordBatch {
    let mut reader = csv::Reader::from_path(csv).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut cells: Vec<Vec<Option<String>>> = vec![Vec::new(); header.len()];
    for record in reader.records() {
        for (column, cell) in cells.iter_mut().zip(record.unwrap().iter()) {
            column.push((!cell.is_empty()).then(|| cell.to_owned()));
        }
    }
    let typed = header.iter().zip(cells).map(|(name, cells)| {
        let texts: ArrayRef = Arc::new(StringArray::from(cells));
        let kind = types.iter().find(|(column, _)| column == name).map_or(&DataType::Utf8, |(_, kind)| kind);
        (name.as_str(), cast(&texts, kind).unwrap(), true)
    });
    RecordBatch::try_from_iter_with_nullable(typed).unwrap()
}

/// Writes rows as a file.
pub fn write(rows: &RecordBatch, path: &Path) {
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), rows.schema(), None).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}
