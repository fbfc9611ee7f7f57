//! Sliced and noisy columns as Arrow record batches.

use super::CodedCells;
use super::release::released;
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use paravent_tables::read::Table;
use paravent_tables::write::{RecordWriter, ReleasedColumn};

/// The columns as record batches. A column keeps the type that it has in `came_as`, if that changes no cell.
pub fn record_batches(columns: &[CodedCells], came_as: Option<&Table>) -> (SchemaRef, Vec<RecordBatch>) {
    let wished: Vec<Option<DataType>> = columns
        .iter()
        .map(|column| {
            let field = came_as?.schema().field_with_name(&column.name).ok()?;
            Some(field.data_type().clone())
        })
        .collect();
    let cells: Vec<ReleasedColumn> = columns.iter().map(released).collect();
    let mut writer = RecordWriter::new(&cells, &wished);
    let mut row = vec![0; columns.len()];
    for number in 0..columns.first().map_or(0, |column| column.codes.len()) {
        row.iter_mut().zip(columns).for_each(|(code, column)| *code = column.codes[number]);
        writer.push(&row, 1);
    }
    writer.finish()
}
