//! Arrow IPC, as a file and as a stream.
//!
//! Both are decoded from blocks that are read here, so that a length in a damaged file cannot ask for more memory than the file
//! has bytes.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow::ipc::{Block, root_as_footer};

use super::detect::Sample;
use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::input::{Raw, io_error};
use super::record_batches::RecordBatches;
use super::source::{Opened, Rows, garbled};
use super::{Batch, Dialect, Format, ReadError, ReadOptions};

const MAGIC: &[u8] = b"ARROW1";
pub(super) const FORMAT: Kind = Kind {
    format: Format::Arrow,
    shown: "Arrow",
    names: &["arrow", "feather"],
    endings: &["ipc", "arrows"],
    is_it: |bytes| bytes.starts_with(MAGIC) || bytes.starts_with(&[0xFF; 4]),
    open: ArrowRows::open,
    frame: Frame::none,
    missing: Missing::ByNull,
    cells: Cells::Typed,
};
/// Bytes of a stream read at a time.
const CHUNK: usize = 1 << 20;

/// The rows of Arrow data.
pub(super) struct ArrowRows {
    batches: RecordBatches,
    blocks: Blocks,
}

impl ArrowRows {
    pub(super) fn open(raw: Raw, sample: Sample, options: &ReadOptions) -> Result<Opened, ReadError> {
        let mut bytes = Bytes { raw, path: options.shown_path() };
        bytes.seek(0)?;
        let (blocks, schema) = match sample.bytes.starts_with(MAGIC) {
            true => {
                FileBlocks::open(bytes).map(|(blocks, schema)| (Blocks::File(Box::new(blocks)), schema))?
            }
            false => StreamBlocks::open(bytes)
                .map(|(blocks, schema)| (Blocks::Stream(Box::new(blocks)), schema))?,
        };
        let batches = RecordBatches::new(&schema, Format::Arrow, options)?;
        let columns = batches.names().to_vec();
        let rows = Box::new(Self { batches, blocks });
        Ok(Opened { dialect: Dialect::columnar(Format::Arrow), columns, rows })
    }
}

impl Rows for ArrowRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.batches.select(columns);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let projection = self.batches.projection();
        self.batches.fill(batch, || {
            let records = match &mut self.blocks {
                Blocks::File(blocks) => blocks.next()?,
                Blocks::Stream(blocks) => blocks.next()?,
            };
            match records {
                Some(records) => records.project(&projection).map(Some).map_err(|_| self.blocks.damaged()),
                None => Ok(None),
            }
        })
    }
}

enum Blocks {
    File(Box<FileBlocks>),
    Stream(Box<StreamBlocks>),
}

impl Blocks {
    fn damaged(&self) -> ReadError {
        match self {
            Self::File(blocks) => blocks.bytes.damaged(),
            Self::Stream(blocks) => blocks.bytes.damaged(),
        }
    }
}

/// A file, with a list of its record batches at the end.
struct FileBlocks {
    bytes: Bytes,
    decoder: FileDecoder,
    blocks: Vec<Block>,
    next: usize,
}

impl FileBlocks {
    fn open(mut bytes: Bytes) -> Result<(Self, SchemaRef), ReadError> {
        let trailer_at = bytes.raw.len().checked_sub(10).ok_or_else(|| bytes.damaged())?;
        let trailer = bytes.read_at(trailer_at, 10)?;
        let trailer: [u8; 10] = trailer.as_slice().try_into().map_err(|_| bytes.damaged())?;
        let length = read_footer_length(trailer).map_err(|_| bytes.damaged())? as u64;
        let footer_at = trailer_at.checked_sub(length).ok_or_else(|| bytes.damaged())?;
        let footer = bytes.read_at(footer_at, length)?;
        let footer = root_as_footer(&footer).map_err(|_| bytes.damaged())?;

        let schema = footer.schema().ok_or_else(|| bytes.damaged())?;
        let schema = Arc::new(fb_to_schema(schema));
        let mut decoder = FileDecoder::new(schema.clone(), footer.version());
        for block in footer.dictionaries().iter().flatten() {
            let data = bytes.block(block)?;
            decoder.read_dictionary(block, &data).map_err(|error| bytes.decode_error(&error))?;
        }
        let blocks = footer.recordBatches().iter().flatten().copied().collect();
        Ok((Self { bytes, decoder, blocks, next: 0 }, schema))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        while let Some(block) = self.blocks.get(self.next) {
            self.next += 1;
            let data = self.bytes.block(block)?;
            let records = self.decoder.read_record_batch(block, &data);
            if let Some(records) = records.map_err(|error| self.bytes.decode_error(&error))? {
                return Ok(Some(records));
            }
        }
        Ok(None)
    }
}

/// A stream, read front to back.
struct StreamBlocks {
    bytes: Bytes,
    decoder: StreamDecoder,
    chunk: Buffer,
    /// A record batch that came before it was asked for.
    early: Option<RecordBatch>,
}

impl StreamBlocks {
    fn open(bytes: Bytes) -> Result<(Self, SchemaRef), ReadError> {
        let mut blocks = Self {
            bytes,
            decoder: StreamDecoder::new(),
            chunk: Buffer::from_vec(vec![0_u8; 0]),
            early: None,
        };
        blocks.early = blocks.next()?;
        let schema = blocks.decoder.schema().ok_or_else(|| blocks.bytes.damaged())?;
        Ok((blocks, schema))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        if let Some(records) = self.early.take() {
            return Ok(Some(records));
        }
        loop {
            if self.chunk.is_empty() {
                self.chunk = self.bytes.next_chunk()?;
            }
            if self.chunk.is_empty() {
                self.decoder.finish().map_err(|_| self.bytes.damaged())?;
                return Ok(None);
            }
            let decoded = self.decoder.decode(&mut self.chunk);
            if let Some(records) = decoded.map_err(|error| self.bytes.decode_error(&error))? {
                return Ok(Some(records));
            }
        }
    }
}

/// The stored bytes.
struct Bytes {
    raw: Raw,
    path: PathBuf,
}

impl Bytes {
    fn seek(&mut self, to: u64) -> Result<(), ReadError> {
        self.raw.seek(SeekFrom::Start(to)).map(drop).map_err(io_error(&self.path))
    }

    fn read_at(&mut self, at: u64, length: u64) -> Result<Vec<u8>, ReadError> {
        if at.checked_add(length).is_none_or(|end| end > self.raw.len()) {
            return Err(self.damaged());
        }
        self.seek(at)?;
        let mut bytes = vec![0; length as usize];
        self.raw.read_exact(&mut bytes).map_err(io_error(&self.path))?;
        Ok(bytes)
    }

    fn block(&mut self, block: &Block) -> Result<Buffer, ReadError> {
        let numbers =
            (block.offset().try_into(), block.bodyLength().try_into(), block.metaDataLength().try_into());
        let (Ok(offset), Ok(body), Ok(metadata)): (Result<u64, _>, Result<u64, _>, Result<u64, _>) = numbers
        else {
            return Err(self.damaged());
        };
        let length = metadata.checked_add(body).ok_or_else(|| self.damaged())?;
        Ok(Buffer::from_vec(self.read_at(offset, length)?))
    }

    fn next_chunk(&mut self) -> Result<Buffer, ReadError> {
        let mut bytes = Vec::new();
        (&mut self.raw).take(CHUNK as u64).read_to_end(&mut bytes).map_err(io_error(&self.path))?;
        Ok(Buffer::from_vec(bytes))
    }

    /// Arrow's own message is not passed on, as it may quote data; that the file is compressed is worth telling.
    fn decode_error(&self, error: &ArrowError) -> ReadError {
        if error.to_string().contains("decompression requires") {
            return ReadError::UnsupportedCompression {
                path: self.path.clone(),
                what: "compression within Arrow files".into(),
            };
        }
        self.damaged()
    }

    fn damaged(&self) -> ReadError {
        garbled(&self.path, Format::Arrow)
    }
}
