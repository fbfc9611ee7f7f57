//! Released rows as Arrow record batches in memory.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array, new_empty_array};
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::table::ReleasedColumn;
use super::typed::TypedCells;
use crate::read::texts;

/// Rows per record batch; fewer if cells are very long.
const BATCH_ROWS: usize = 1 << 16;
/// A column of a batch holds fewer bytes than this, well within 32-bit offsets.
const BATCH_BYTES: usize = 1 << 28;

/// Rows on their way into record batches. Pushed like the rows of a [`TableWriter`](super::TableWriter).
pub struct RecordWriter {
    schema: SchemaRef,
    columns: Vec<Cells>,
    /// For each column the codes of the rows not yet in a batch.
    codes: Vec<Vec<u32>>,
    batch_rows: usize,
    batches: Vec<RecordBatch>,
}

/// Cells stay out of logs.
impl std::fmt::Debug for RecordWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecordWriter({} columns)", self.columns.len())
    }
}

/// The distinct cells of a column as values of a type.
enum Cells {
    /// By code.
    Plain(ArrayRef),
    /// Released again as a dictionary: key by code, and the values, none of which is missing.
    Dictionary { keys: UInt32Array, values: ArrayRef, key_type: DataType },
}

impl RecordWriter {
    /// Starts with columns and, for each, the type that it should have, as far as that changes no cell: read as text, a typed cell must be the
    /// very cell that is released. Else the type is that of the columnar file formats.
    pub fn new(columns: &[ReleasedColumn], wished: &[Option<DataType>]) -> RecordWriter {
        let cells: Vec<Cells> = columns
            .iter()
            .zip(wished)
            .map(|(column, wish)| {
                let wish = wish.as_ref().and_then(|wish| Cells::wished(column, wish));
                wish.unwrap_or_else(|| Cells::of_files(column))
            })
            .collect();
        let fields = columns.iter().zip(&cells);
        let fields = fields.map(|(column, cells)| Field::new(&column.name, cells.data_type(), true));
        let widest = columns.iter().flat_map(|column| column.cells.iter().flatten());
        let widest = widest.map(String::len).max().unwrap_or(0).max(16);
        RecordWriter {
            schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            codes: vec![Vec::new(); cells.len()],
            columns: cells,
            batch_rows: (BATCH_BYTES / widest).clamp(1, BATCH_ROWS),
            batches: Vec::new(),
        }
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a row `count` times. `codes` has the index of a cell for each column.
    ///
    /// # Panics
    /// If a code is not the index of a cell.
    pub fn push(&mut self, codes: &[u32], count: u64) {
        assert_eq!(codes.len(), self.columns.len(), "a code for each column");
        let mut left = count;
        while left > 0 && !codes.is_empty() {
            let now = left.min((self.batch_rows - self.codes[0].len()) as u64);
            for (waiting, &code) in self.codes.iter_mut().zip(codes) {
                waiting.extend(std::iter::repeat_n(code, now as usize));
            }
            left -= now;
            if self.codes[0].len() == self.batch_rows {
                self.end_batch();
            }
        }
    }

    /// All batches.
    pub fn finish(mut self) -> (SchemaRef, Vec<RecordBatch>) {
        self.end_batch();
        (self.schema, self.batches)
    }

    fn end_batch(&mut self) {
        if self.codes.first().is_none_or(Vec::is_empty) {
            return;
        }
        let arrays = self.columns.iter().zip(&mut self.codes);
        let arrays = arrays.map(|(column, codes)| column.array(std::mem::take(codes))).collect();
        // The arrays were made for this schema.
        let batch = RecordBatch::try_new(self.schema.clone(), arrays);
        debug_assert!(batch.is_ok(), "arrays of the schema's types, equally long");
        self.batches.extend(batch);
    }
}

impl Cells {
    /// The type of Parquet and Arrow files.
    fn of_files(column: &ReleasedColumn) -> Cells {
        let all: Vec<u32> = (0..column.cells.len() as u32).collect();
        Cells::Plain(TypedCells::of(column).array(&all))
    }

    /// The type that was wished for, if every cell reads the same under it.
    fn wished(column: &ReleasedColumn, wish: &DataType) -> Option<Cells> {
        if let DataType::Dictionary(key_type, value_type) = wish {
            let present: Vec<Option<String>> =
                column.cells.iter().filter(|cell| cell.is_some()).cloned().collect();
            let values = typed(&present, value_type)?;
            let mut next = 0;
            let keys: UInt32Array = column
                .cells
                .iter()
                .map(|cell| {
                    cell.as_ref().map(|_| {
                        next += 1;
                        next - 1
                    })
                })
                .collect();
            // All keys must fit, also the last.
            let last = UInt32Array::from(vec![next.saturating_sub(1)]);
            cast(&last, key_type).ok().filter(|key| key.null_count() == 0)?;
            return Some(Cells::Dictionary { keys, values, key_type: (**key_type).clone() });
        }
        typed(&column.cells, wish).map(Cells::Plain)
    }

    fn data_type(&self) -> DataType {
        match self {
            Cells::Plain(values) => values.data_type().clone(),
            Cells::Dictionary { values, key_type, .. } => {
                DataType::Dictionary(Box::new(key_type.clone()), Box::new(values.data_type().clone()))
            }
        }
    }

    fn array(&self, codes: Vec<u32>) -> ArrayRef {
        let codes = UInt32Array::from(codes);
        let made = match self {
            Cells::Plain(values) => take(values, &codes, None),
            Cells::Dictionary { keys, values, key_type } => take(keys, &codes, None)
                .and_then(|keys| cast(&keys, key_type))
                .and_then(|keys| dictionary(&keys, values)),
        };
        debug_assert!(made.is_ok(), "codes are indices of cells");
        made.unwrap_or_else(|_| new_empty_array(&self.data_type()))
    }
}

/// Cells as values of a type, if they read the same again.
fn typed(cells: &[Option<String>], wish: &DataType) -> Option<ArrayRef> {
    let text: ArrayRef = Arc::new(StringArray::from_iter(cells.iter().map(Option::as_deref)));
    let values = cast(&text, wish).ok()?;
    (texts(&values)? == cells).then_some(values)
}

/// A dictionary array with keys of any integer type.
fn dictionary(keys: &ArrayRef, values: &ArrayRef) -> Result<ArrayRef, arrow::error::ArrowError> {
    use arrow::array::{AsArray, DictionaryArray};
    use arrow::datatypes as types;
    macro_rules! of {
        ($($name:ident => $kind:ty),*) => {
            match keys.data_type() {
                $(DataType::$name => {
                    let keys = keys.as_primitive::<$kind>().clone();
                    Ok(Arc::new(DictionaryArray::<$kind>::try_new(keys, values.clone())?) as ArrayRef)
                })*
                other => Err(arrow::error::ArrowError::InvalidArgumentError(format!("{other} is no key"))),
            }
        };
    }
    of!(Int8 => types::Int8Type, Int16 => types::Int16Type, Int32 => types::Int32Type, Int64 => types::Int64Type,
        UInt8 => types::UInt8Type, UInt16 => types::UInt16Type, UInt32 => types::UInt32Type, UInt64 => types::UInt64Type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::ColumnKind;
    use arrow::datatypes::TimeUnit;

    fn written(kind: ColumnKind, cells: &[Option<&str>], wish: DataType) -> (DataType, Vec<Option<String>>) {
        let cells: Vec<Option<String>> = cells.iter().map(|cell| cell.map(str::to_owned)).collect();
        let column = ReleasedColumn { name: "x".into(), kind, cells: cells.clone() };
        let mut writer = RecordWriter::new(&[column], &[Some(wish)]);
        (0..cells.len() as u32).for_each(|code| writer.push(&[code], 2));
        let (schema, batches) = writer.finish();
        let rows = texts(batches[0].column(0)).unwrap();
        (schema.field(0).data_type().clone(), rows.into_iter().step_by(2).collect())
    }

    #[test]
    fn a_column_keeps_its_type_if_no_cell_changes() {
        let some =
            |cells: &[&'static str]| cells.iter().map(|&cell| Some(cell)).chain([None]).collect::<Vec<_>>();
        let category = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        for (cells, wish, kept) in [
            (some(&["1", "-2"]), DataType::Int16, true),
            (some(&["1", "70000"]), DataType::Int16, false),
            (some(&["007"]), DataType::Int64, false),
            (some(&["0.1", "-2.5"]), DataType::Float64, true),
            (some(&["20-39"]), DataType::Float64, false),
            (some(&["2024-02-29"]), DataType::Date32, true),
            (some(&["2024"]), DataType::Date32, false),
            (some(&["2024-03-09T14:05:00"]), DataType::Timestamp(TimeUnit::Nanosecond, None), true),
            (some(&["true", "false"]), DataType::Boolean, true),
            (some(&["1.25"]), DataType::Decimal128(9, 2), true),
            (some(&["1.255"]), DataType::Decimal128(9, 2), false),
            (some(&["a", "b"]), category.clone(), true),
            (some(&["a", "b"]), DataType::Utf8View, true),
            (some(&["ä", "日本"]), DataType::LargeUtf8, true),
        ] {
            let (found, rows) = written(ColumnKind::Text, &cells, wish.clone());
            assert_eq!(found == wish, kept, "{wish} {cells:?}: {found}");
            assert_eq!(rows.iter().map(Option::as_deref).collect::<Vec<_>>(), cells, "{wish}");
        }
    }

    #[test]
    fn too_many_values_for_the_keys_make_it_plain() {
        let cells: Vec<String> = (0..200).map(|n| n.to_string()).collect();
        let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
        let category = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        assert_eq!(written(ColumnKind::Text, &cells, category).0, DataType::Utf8);
    }
}
