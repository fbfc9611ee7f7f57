//! Arrow that arrives, as columns of the types that were announced.

use super::messages::ArrowBatch;
use arrow::array::{Array, RecordBatch};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::reader::StreamReader;
use paravent_tables::engine::EngineError;
use std::io::Cursor;
use std::sync::Arc;

/// Columns of an answer.
#[derive(Clone)]
pub(super) struct Columns {
    schema: SchemaRef,
}

impl Columns {
    pub(super) fn new(columns: impl IntoIterator<Item = (String, DataType)>) -> Columns {
        let fields = columns.into_iter().map(|(name, kind)| Field::new(name, kind, true));
        Columns { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())) }
    }

    /// The rows of some parts of an answer.
    pub(super) fn decode(&self, parts: &[ArrowBatch]) -> Result<Vec<RecordBatch>, EngineError> {
        let mut batches = Vec::new();
        for part in parts {
            for batch in untyped(part)? {
                batches.push(self.typed(&batch)?);
            }
        }
        Ok(batches)
    }

    fn typed(&self, batch: &RecordBatch) -> Result<RecordBatch, EngineError> {
        if batch.num_columns() != self.schema.fields().len() {
            return Err(EngineError::Garbled("(a row has other columns)"));
        }
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (column, field) in batch.columns().iter().zip(self.schema.fields()) {
            let (from, to) = (column.data_type(), field.data_type());
            columns.push(match from == to {
                true => column.clone(),
                false if are_kin(from, to) => {
                    let options = CastOptions { safe: false, ..CastOptions::default() };
                    cast_with_options(column, to, &options)
                        .map_err(|_| EngineError::Garbled("(a cell has another type than its column)"))?
                }
                false => return Err(EngineError::Garbled("(a column has another type)")),
            });
        }
        RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|_| EngineError::Garbled("(columns of different lengths)"))
    }
}

/// The rows of a part, which is a stream of its own, in columns as they come.
pub(super) fn untyped(part: &ArrowBatch) -> Result<Vec<RecordBatch>, EngineError> {
    let garbled = |_| EngineError::Garbled("(no rows in Arrow's format)");
    let mut batches = Vec::new();
    for batch in StreamReader::try_new(Cursor::new(&part.data), None).map_err(garbled)? {
        let batch = batch.map_err(garbled)?;
        if batch.num_rows() > 0 {
            batches.push(batch);
        }
    }
    Ok(batches)
}

/// Whether one type holds what the other means, only stored in another way.
fn are_kin(from: &DataType, to: &DataType) -> bool {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match (from, to) {
        (DataType::Dictionary(_, values), to) => values.as_ref() == to || are_kin(values, to),
        (DataType::Null, _) => true,
        (DataType::Timestamp(..), DataType::Timestamp(..)) => true,
        (DataType::Time32(_) | DataType::Time64(_), DataType::Time64(_)) => true,
        (DataType::Date64, DataType::Date32) => true,
        (DataType::Decimal128(..) | DataType::Decimal256(..), DataType::Decimal128(..)) => true,
        (from, to) => (is_text(from) && is_text(to)) || (from.is_integer() && to.is_integer()),
    }
}
