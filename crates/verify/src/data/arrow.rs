//! Released rows in an Arrow IPC file.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use arrow::buffer::Buffer;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::{Block, root_as_footer};

use super::Column;
use super::columnar::Collector;
use crate::VerifyError;
use crate::folder::io_error;

/// Bytes after the footer: its length and the magic word.
const TRAILER: usize = 10;

/// Decodes block by block from memory: a length in the footer can then never make the reader allocate more than
/// the file has.
pub(super) fn read(mut file: File, name: &str) -> Result<Vec<Column>, VerifyError> {
    let garbled = |problem| VerifyError::Garbled { file: name.to_owned(), format: "Arrow", problem };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io_error(name))?;
    let buffer = Buffer::from_vec(bytes);
    let footer = footer_bytes(&buffer).ok_or_else(|| garbled("no footer"))?;
    let footer = root_as_footer(footer).map_err(|_| garbled("bad footer"))?;
    let schema = footer.schema().ok_or_else(|| garbled("no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(garbled("foreign byte order"));
    }
    let schema = Arc::new(fb_to_schema(schema));
    let mut collector = Collector::new(name, &schema)?;
    let mut decoder = FileDecoder::new(schema, footer.version());
    for block in footer.dictionaries().iter().flatten() {
        let body = block_bytes(&buffer, block).ok_or_else(|| garbled("block outside the file"))?;
        decoder.read_dictionary(block, &body).map_err(|_| garbled("bad dictionary"))?;
    }
    for block in footer.recordBatches().iter().flatten() {
        let body = block_bytes(&buffer, block).ok_or_else(|| garbled("block outside the file"))?;
        match decoder.read_record_batch(block, &body).map_err(|_| garbled("bad batch"))? {
            Some(batch) => collector.add(&batch)?,
            None => return Err(garbled("empty message")),
        }
    }
    collector.finish()
}

fn footer_bytes(buffer: &[u8]) -> Option<&[u8]> {
    let end = buffer.len().checked_sub(TRAILER)?;
    let length = read_footer_length(buffer[end..].try_into().ok()?).ok()?;
    buffer.get(end.checked_sub(length)?..end)
}

fn block_bytes(buffer: &Buffer, block: &Block) -> Option<Buffer> {
    let offset = usize::try_from(block.offset()).ok()?;
    let metadata = usize::try_from(block.metaDataLength()).ok()?;
    let length = usize::try_from(block.bodyLength()).ok()?.checked_add(metadata)?;
    let fits = offset.checked_add(length)? <= buffer.len();
    fits.then(|| buffer.slice_with_length(offset, length))
}
