//! Rows as a Parquet or Arrow file.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::comparing::Comparing;
use super::typed::Cells;
use crate::data::Column;
use crate::types::Type;

/// Rows per record batch; fewer if cells are very long.
const BATCH_ROWS: usize = 1 << 16;
/// A column of a batch holds fewer bytes than this.
const BATCH_BYTES: usize = 1 << 28;
/// Rows per row group.
const GROUP_ROWS: usize = 1 << 18;

/// Whether a Parquet file has other bytes. A writer that fails has not written the same.
pub(super) fn parquet_differs(out: Comparing<'_>, version: &str, columns: &[Column], kinds: &[Type]) -> bool {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_created_by(format!("paravent version {version}"))
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let table = Table::new(columns, kinds);
    let Ok(mut writer) = ArrowWriter::try_new_with_options(out, table.schema.clone(), options) else {
        return true;
    };
    let written = table.batches(|batch| writer.write(batch).is_ok());
    match writer.into_inner() {
        Ok(out) if written => out.finish(),
        _ => true,
    }
}

/// Whether an Arrow file has other bytes.
pub(super) fn arrow_differs(out: Comparing<'_>, columns: &[Column], kinds: &[Type]) -> bool {
    let table = Table::new(columns, kinds);
    let Ok(mut writer) = FileWriter::try_new(out, &table.schema) else { return true };
    let written = table.batches(|batch| writer.write(batch).is_ok());
    if !written || writer.finish().is_err() {
        return true;
    }
    writer.into_inner().map_or(true, Comparing::finish)
}

/// The rows on their way into a file.
struct Table<'a> {
    columns: &'a [Column],
    cells: Vec<Cells<'a>>,
    schema: SchemaRef,
    batch_rows: usize,
}

impl<'a> Table<'a> {
    fn new(columns: &'a [Column], kinds: &[Type]) -> Table<'a> {
        let cells: Vec<Cells<'a>> =
            columns.iter().zip(kinds).map(|(column, &kind)| Cells::of(column, kind)).collect();
        let fields = columns
            .iter()
            .zip(&cells)
            .map(|(column, cells)| Field::new(&column.name, cells.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let widest = cells.iter().map(Cells::widest).max().unwrap_or(0).max(1);
        Table { columns, cells, schema, batch_rows: (BATCH_BYTES / widest).clamp(1, BATCH_ROWS) }
    }

    /// Calls `write` with every batch until it says no.
    fn batches(&self, mut write: impl FnMut(&RecordBatch) -> bool) -> bool {
        let mut codes: Vec<Vec<u32>> = self.columns.iter().map(|_| Vec::new()).collect();
        let Some(first) = self.columns.first() else { return false };
        for (stretch, &rows) in first.repeats.iter().enumerate() {
            let mut left = rows as usize;
            while left > 0 {
                let now = left.min(self.batch_rows - codes[0].len());
                for (codes, column) in codes.iter_mut().zip(self.columns) {
                    codes.extend(std::iter::repeat_n(column.codes.at(stretch), now));
                }
                left -= now;
                if codes[0].len() == self.batch_rows && !self.write_batch(&mut codes, &mut write) {
                    return false;
                }
            }
        }
        codes[0].is_empty() || self.write_batch(&mut codes, &mut write)
    }

    fn write_batch(&self, codes: &mut [Vec<u32>], write: &mut impl FnMut(&RecordBatch) -> bool) -> bool {
        let arrays = self.cells.iter().zip(codes.iter()).map(|(cells, codes)| cells.array(codes)).collect();
        codes.iter_mut().for_each(Vec::clear);
        RecordBatch::try_new(self.schema.clone(), arrays).is_ok_and(|batch| write(&batch))
    }
}
