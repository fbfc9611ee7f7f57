//! Parquet and Arrow files.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::table::{Failure, Out, ReleasedColumn};
use super::typed::TypedCells;

/// Rows per record batch; fewer if cells are very long.
const BATCH_ROWS: usize = 1 << 16;
/// A column of a batch holds fewer bytes than this, well within 32-bit offsets.
const BATCH_BYTES: usize = 1 << 28;
/// Rows per row group.
const GROUP_ROWS: usize = 1 << 18;

/// A Parquet or Arrow file in the making.
pub(super) struct ColumnarTable<'a> {
    schema: SchemaRef,
    columns: Vec<TypedCells<'a>>,
    /// For each column the codes of the rows not yet written.
    codes: Vec<Vec<u32>>,
    batch_rows: usize,
    writer: Writer<'a>,
}

enum Writer<'a> {
    Parquet(Box<ArrowWriter<Blocked<'a>>>),
    Arrow(Box<FileWriter<Blocked<'a>>>),
}

impl<'a> ColumnarTable<'a> {
    pub(super) fn parquet(out: Out<'a>, columns: &'a [ReleasedColumn]) -> Result<Self, Failure> {
        Self::new(columns, |schema| {
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_max_row_group_row_count(Some(GROUP_ROWS))
                .set_created_by(concat!("paravent version ", env!("CARGO_PKG_VERSION")).to_owned())
                .build();
            let options =
                ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
            let writer = ArrowWriter::try_new_with_options(Blocked::new(out), schema, options)?;
            Ok(Writer::Parquet(Box::new(writer)))
        })
    }

    pub(super) fn arrow(out: Out<'a>, columns: &'a [ReleasedColumn]) -> Result<Self, Failure> {
        Self::new(columns, |schema| {
            Ok(Writer::Arrow(Box::new(FileWriter::try_new(Blocked::new(out), &schema)?)))
        })
    }

    fn new(
        columns: &'a [ReleasedColumn],
        writer: impl FnOnce(SchemaRef) -> Result<Writer<'a>, Failure>,
    ) -> Result<Self, Failure> {
        let typed: Vec<TypedCells<'a>> = columns.iter().map(TypedCells::of).collect();
        let fields = columns
            .iter()
            .zip(&typed)
            .map(|(column, typed)| Field::new(&column.name, typed.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let widest = typed.iter().map(TypedCells::widest).max().unwrap_or(0).max(1);
        Ok(Self {
            writer: writer(schema.clone())?,
            schema,
            codes: columns.iter().map(|_| Vec::new()).collect(),
            batch_rows: (BATCH_BYTES / widest).clamp(1, BATCH_ROWS),
            columns: typed,
        })
    }

    pub(super) fn push(&mut self, codes: &[u32], count: u64) -> Result<(), Failure> {
        assert_eq!(codes.len(), self.columns.len(), "a code for each column");
        let mut left = count;
        while left > 0 {
            let waiting = self.codes[0].len();
            let now = left.min((self.batch_rows - waiting) as u64);
            for (waiting, &code) in self.codes.iter_mut().zip(codes) {
                waiting.extend(std::iter::repeat_n(code, now as usize));
            }
            left -= now;
            if self.codes[0].len() == self.batch_rows {
                self.write_batch()?;
            }
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<(), Failure> {
        let arrays: Vec<ArrayRef> =
            self.columns.iter().zip(&self.codes).map(|(column, codes)| column.array(codes)).collect();
        self.codes.iter_mut().for_each(Vec::clear);
        let records = RecordBatch::try_new(self.schema.clone(), arrays)?;
        match &mut self.writer {
            Writer::Parquet(writer) => writer.write(&records)?,
            Writer::Arrow(writer) => writer.write(&records)?,
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<String, Failure> {
        if !self.codes[0].is_empty() {
            self.write_batch()?;
        }
        let out = match self.writer {
            Writer::Parquet(writer) => writer.into_inner()?,
            Writer::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?
            }
        };
        Ok(out.finish()?)
    }
}

/// Gathers small writes. (The standard library's buffered writer would write again when dropped after an error.)
struct Blocked<'a> {
    out: Out<'a>,
    buffer: Vec<u8>,
}

impl<'a> Blocked<'a> {
    fn new(out: Out<'a>) -> Self {
        Self { out, buffer: Vec::new() }
    }

    fn finish(mut self) -> io::Result<String> {
        self.out.write_all(&self.buffer)?;
        self.out.finish()
    }
}

impl Write for Blocked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > 1 << 20 {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The operating system's error is inside the libraries'.
impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(_) => Self::Columnar,
            },
            _ => Self::Columnar,
        }
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            _ => Self::Columnar,
        }
    }
}
