//! A file as a table of the session.

use super::types::{Common, converted};
use crate::catalog::Catalog;
use crate::error::AlgebraError;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use paravent_job::{DataType as Declared, InputSource};
use paravent_prepare::study::read_options;
use paravent_tables::engine::Address;
use paravent_tables::read::{Batch, Format, Input, ReadOptions};
use std::path::Path;
use std::sync::Arc;

/// Reads a table of any format, robust against hostile bytes, into memory.
pub(super) fn read(path: &Path, catalog: &Catalog) -> Result<MemTable, AlgebraError> {
    if Address::is_one(path) {
        return Err(AlgebraError::statement(
            "a table that stays in a database or in Spark is no table of a statement, because all its rows would travel; \
             `paravent anonymize` recodes it there, and a file may have what the statement needs",
        ));
    }
    let mut source = Input::new(options(path, catalog)?)?.open()?;
    let columns = source.columns().to_vec();
    let mut common: Vec<Common> = vec![Common::default(); columns.len()];
    let mut chunks: Vec<Vec<StringArray>> = vec![Vec::new(); columns.len()];
    let mut rows = Vec::new();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        rows.push(batch.rows);
        for (place, column) in batch.columns.iter().enumerate() {
            let mut text = StringBuilder::with_capacity(batch.rows, batch.rows * 8);
            for cell in column.iter() {
                if let Some(cell) = cell {
                    common[place].take(cell);
                }
                text.append_option(cell);
            }
            chunks[place].push(text.finish());
        }
    }
    let mut fields = Vec::new();
    let mut typed: Vec<Vec<ArrayRef>> = Vec::new();
    for ((name, common), chunks) in columns.iter().zip(&common).zip(chunks) {
        let declared = catalog.attribute(name).and_then(|attribute| attribute.data_type);
        let data_type = match declared {
            Some(Declared::String) => DataType::Utf8,
            _ => common.data_type(),
        };
        let (data_type, chunks) = settled(chunks, data_type);
        fields.push(Field::new(name, data_type, true));
        typed.push(chunks);
    }
    let schema = Arc::new(Schema::new(fields));
    let batches = rows.iter().enumerate().map(|(chunk, &rows)| {
        let columns = typed.iter().map(|chunks| Arc::clone(&chunks[chunk])).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
    });
    let batches = batches.collect::<Result<Vec<RecordBatch>, _>>().map_err(|_| AlgebraError::Internal)?;
    MemTable::try_new(schema, vec![batches]).map_err(|error| AlgebraError::planning(&error))
}

/// The job's own table is stored as the job says; of other files everything is found out, but for the texts of a missing value.
fn options(path: &Path, catalog: &Catalog) -> Result<ReadOptions, AlgebraError> {
    let mut options = ReadOptions::new(path);
    let Some(job) = catalog.job() else { return Ok(options) };
    if is_own(path, catalog) {
        let stored = read_options(job)?;
        return Ok(ReadOptions { path: path.to_path_buf(), ..stored });
    }
    if matches!(Format::of_table(path), Some(Format::Csv | Format::Tsv) | None) {
        options.null = Some(job.input.null.clone());
    }
    Ok(options)
}

/// Whether a file is the table that the job is about.
pub(super) fn is_own(path: &Path, catalog: &Catalog) -> bool {
    let Some(job) = catalog.job() else { return false };
    let InputSource::File(own) = &job.input.source else { return false };
    match (job.resolve(own).canonicalize(), path.canonicalize()) {
        (Ok(own), Ok(this)) => own == this,
        _ => false,
    }
}

/// The chunks in that type, or as text where one of them has a cell that is not of it.
fn settled(chunks: Vec<StringArray>, data_type: DataType) -> (DataType, Vec<ArrayRef>) {
    let typed = match data_type {
        DataType::Utf8 => None,
        _ => chunks.iter().map(|chunk| converted(chunk, &data_type)).collect::<Option<Vec<ArrayRef>>>(),
    };
    match typed {
        Some(typed) => (data_type, typed),
        None => (DataType::Utf8, chunks.into_iter().map(|chunk| Arc::new(chunk) as ArrayRef).collect()),
    }
}

/// The name of a table made of a file's name: `Patients 2024.csv` is `patients_2024`.
pub fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    match plain.chars().next() {
        Some(first) if first.is_alphabetic() => plain,
        _ => format!("t_{plain}"),
    }
}
