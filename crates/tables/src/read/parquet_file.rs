//! Parquet files.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;

use arrow::array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::reader::ChunkReader;

use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::input::Raw;
use super::record_batches::RecordBatches;
use super::source::{BATCH_ROWS, Opened, Part, Rows, garbled};
use super::{Batch, Dialect, Format, ReadError, ReadOptions};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Parquet,
    shown: "Parquet",
    names: &["parquet"],
    endings: &["pq"],
    is_it: |bytes| bytes.starts_with(b"PAR1"),
    open: |raw, _, options| ParquetRows::open(raw, options),
    frame: Frame::none,
    missing: Missing::ByNull,
    cells: Cells::Typed,
};

/// The rows of a Parquet file.
pub(super) struct ParquetRows {
    metadata: ArrowReaderMetadata,
    batches: RecordBatches,
    reader: Reader,
    /// Which row groups; all where it is not said.
    groups: Option<Vec<usize>>,
    path: PathBuf,
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
        let (metadata, reader) = match raw {
            Raw::File { file, .. } => (load(&file), Reader::File(file)),
            Raw::Held { bytes, .. } => (load(&bytes), Reader::Held(bytes)),
        };
        let metadata = metadata.ok_or_else(|| garbled(&path, Format::Parquet))?;
        check_compression(&metadata, options)?;
        let batches = RecordBatches::new(metadata.schema(), Format::Parquet, options)?;
        let columns = batches.names().to_vec();
        let rows = Box::new(Self { metadata, batches, reader, groups: None, path });
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
        groups: Option<&Vec<usize>>,
    ) -> Result<Option<RecordBatch>, parquet::errors::ParquetError> {
        *self = match std::mem::replace(self, Self::Failed) {
            Self::File(file) => start(file, metadata, projection, groups)?,
            Self::Held(bytes) => start(bytes, metadata, projection, groups)?,
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
    groups: Option<&Vec<usize>>,
) -> Result<Reader, parquet::errors::ParquetError> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), projection.iter().copied());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    let mut builder = builder.with_batch_size(BATCH_ROWS).with_projection(mask);
    if let Some(groups) = groups {
        builder = builder.with_row_groups(groups.clone());
    }
    let reader = builder.build()?;
    Ok(Reader::Started(Box::new(reader)))
}

impl Rows for ParquetRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.batches.select(columns);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let projection = self.batches.projection();
        let (groups, path) = (self.groups.as_ref(), &self.path);
        self.batches.fill(batch, || {
            self.reader.next(&self.metadata, &projection, groups).map_err(|_| garbled(path, Format::Parquet))
        })
    }

    /// Row groups can be read by themselves.
    fn split(&mut self, parts: usize) -> Result<Vec<Part>, ReadError> {
        let groups = self.metadata.metadata().row_groups();
        let parts = parts.min(groups.len());
        let mut split: Vec<Part> = Vec::new();
        let mut before = 0;
        for part in 0..parts {
            let own: Range<usize> = part * groups.len() / parts..(part + 1) * groups.len() / parts;
            let reader = match &self.reader {
                Reader::File(file) => match crate::unnamed::reopened(file) {
                    Ok(file) => Reader::File(file),
                    Err(_) => return Ok(Vec::new()),
                },
                Reader::Held(bytes) => Reader::Held(bytes.clone()),
                Reader::Started(_) | Reader::Failed => return Ok(Vec::new()),
            };
            let rows: i64 = groups[own.clone()].iter().map(|group| group.num_rows()).sum();
            let part = ParquetRows {
                metadata: self.metadata.clone(),
                batches: self.batches.again(),
                reader,
                groups: Some(own.collect()),
                path: self.path.clone(),
            };
            split.push(Part { before, rows: Box::new(part) });
            before += u64::try_from(rows).unwrap_or(0);
        }
        Ok(split)
    }
}
