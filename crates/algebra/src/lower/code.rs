//! Values of Arrow columns as codes.

use super::LowerError;
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::row::{RowConverter, SortField};
use std::collections::BTreeMap;

/// The rows numbered by their values in some columns: equal values get equal numbers, in the order of the values. Missing is a value.
pub(super) fn codes(batches: &[RecordBatch], columns: &[usize]) -> Result<Vec<u32>, LowerError> {
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let fields =
        columns.iter().map(|&column| SortField::new(first.column(column).data_type().clone())).collect();
    let converter = RowConverter::new(fields).map_err(|error| LowerError::Engine(error.into()))?;
    let mut known: BTreeMap<Box<[u8]>, u32> = BTreeMap::new();
    let mut codes = Vec::new();
    for batch in batches {
        let arrays: Vec<ArrayRef> =
            columns.iter().map(|&column| ArrayRef::clone(batch.column(column))).collect();
        let rows = converter.convert_columns(&arrays).map_err(|error| LowerError::Engine(error.into()))?;
        for row in &rows {
            let bytes = row.data();
            let next = known.len() as u32;
            let code = match known.get(bytes) {
                Some(&code) => code,
                None => *known.entry(bytes.into()).or_insert(next),
            };
            codes.push(code);
        }
    }
    // Numbers of first appearance become numbers in the order of the values.
    let mut ordered = vec![0; known.len()];
    for (place, code) in known.into_values().enumerate() {
        ordered[code as usize] = place as u32;
    }
    Ok(codes.into_iter().map(|code| ordered[code as usize]).collect())
}
