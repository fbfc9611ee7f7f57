//! Parquet files.

use std::fs::File;

use arrow::array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::reader::ChunkReader;

use super::formats::Kind;
use super::input::Raw;
use super::record_batches::RecordBatches;
use super::source::{BATCH_ROWS, Opened, Rows, garbled};
use super::{Batch, Dialect, Format, ReadError, ReadOptions};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Parquet,
    shown: "Parquet",
    names: &["parquet"],
    endings: &["pq"],
    is_it: |bytes| bytes.starts_with(b"PAR1"),
    open: |raw, _, options| ParquetRows::open(raw, options),
};

/// The rows of a Parquet file.
pub(super) struct ParquetRows {
    metadata: ArrowReaderMetadata,
    batches: RecordBatches,
    reader: Reader,
    damaged: Box<dyn Fn() -> ReadError + Send>,
}

/// Reading starts with the first row asked for: by then the columns are selected.
enum Reader {
    File(File),
    Held(Bytes),
    Started(Box<ParquetRecordBatchReader>),
    Failed,
}

impl ParquetRows {
    pub(super) fn open(raw: Raw, options: &ReadOptions) -> Result<Opened, ReadError> {
        let path = options.shown_path();
        let damaged = Box::new(move || garbled(&path, Format::Parquet));
        let (metadata, reader) = match raw {
            Raw::File { file, .. } => (load(&file), Reader::File(file)),
            Raw::Held { bytes, .. } => (load(&bytes), Reader::Held(bytes)),
        };
        let metadata = metadata.ok_or_else(&damaged)?;
        check_compression(&metadata, options)?;
        let batches = RecordBatches::new(metadata.schema(), Format::Parquet, options)?;
        let columns = batches.names().to_vec();
        let rows = Box::new(Self { metadata, batches, reader, damaged });
        Ok(Opened { dialect: Dialect::columnar(Format::Parquet), columns, rows })
    }
}

fn load(file: &impl ChunkReader) -> Option<ArrowReaderMetadata> {
    ArrowReaderMetadata::load(file, ArrowReaderOptions::new()).ok()
}

fn check_compression(metadata: &ArrowReaderMetadata, options: &ReadOptions) -> Result<(), ReadError> {
    let groups = metadata.metadata().row_groups();
    let mut codecs = groups.iter().flat_map(|group| group.columns()).map(|column| column.compression());
    let unknown = codecs.find(|codec| {
        !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_))
    });
    match unknown {
        Some(codec) => {
            Err(ReadError::UnsupportedCompression { path: options.shown_path(), what: codec.to_string() })
        }
        None => Ok(()),
    }
}

impl Reader {
    fn next(
        &mut self,
        metadata: &ArrowReaderMetadata,
        projection: &[usize],
    ) -> Result<Option<RecordBatch>, parquet::errors::ParquetError> {
        *self = match std::mem::replace(self, Self::Failed) {
            Self::File(file) => start(file, metadata, projection)?,
            Self::Held(bytes) => start(bytes, metadata, projection)?,
            started => started,
        };
        match self {
            Self::Started(reader) => reader.next().transpose().map_err(Into::into),
            _ => Ok(None),
        }
    }
}

fn start(
    file: impl ChunkReader + 'static,
    metadata: &ArrowReaderMetadata,
    projection: &[usize],
) -> Result<Reader, parquet::errors::ParquetError> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), projection.iter().copied());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    let reader = builder.with_batch_size(BATCH_ROWS).with_projection(mask).build()?;
    Ok(Reader::Started(Box::new(reader)))
}

impl Rows for ParquetRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.batches.select(columns);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let projection = self.batches.projection();
        self.batches
            .fill(batch, || self.reader.next(&self.metadata, &projection).map_err(|_| (self.damaged)()))
    }
}
