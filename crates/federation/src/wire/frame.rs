//! The envelope of a message.

use super::{DecodeError, Message, MessageKind, Packing, Reader, Writer};
use crate::parties::PartyId;
use sha2::{Digest, Sha256};
use std::io::Read;

/// Of the wire format.
pub const VERSION: u16 = 7;
const MAGIC: [u8; 4] = *b"PVFD";

/// What stands in front of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Fingerprint of the sender's plan.
    pub plan: [u8; 16],
    /// Who sent it.
    pub from: PartyId,
    /// Whom it is for.
    pub to: PartyId,
    /// Number of the message on its way from the one to the other, from 0.
    pub number: u32,
}

/// A message in its envelope.
#[derive(Debug)]
pub struct Frame {
    /// The envelope.
    pub header: Header,
    /// The message.
    pub message: Message,
}

impl Frame {
    /// The bytes to send.
    pub fn encode(header: &Header, message: &Message) -> Vec<u8> {
        Frame::encode_as(header, message, Packing::Compressed)
    }

    /// The same, compressed or not.
    pub fn encode_as(header: &Header, message: &Message, packing: Packing) -> Vec<u8> {
        let mut writer = Writer::default();
        message.write(&mut writer);
        let body = writer.into_bytes();
        let mut frame = start(header, message.kind(), body.len() as u64);
        let packed = packing.pack(&body);
        let digest = checksum(frame.bytes(), &packed);
        frame.raw(&digest);
        frame.raw(&packed);
        frame.into_bytes()
    }

    /// The message in received bytes. `most_bytes` limits the body, compressed or not.
    pub fn decode(bytes: &[u8], most_bytes: u64) -> Result<Frame, DecodeError> {
        let (header, kind, body) = Frame::body(bytes, most_bytes)?;
        Ok(Frame { header, message: Message::read(kind, &body)? })
    }

    /// The envelope and the body, decompressed but not yet read.
    pub fn body(bytes: &[u8], most_bytes: u64) -> Result<(Header, MessageKind, Vec<u8>), DecodeError> {
        let mut reader = Reader::new(bytes);
        if reader.array()? != MAGIC {
            return Err(DecodeError::NotOurs);
        }
        let version = reader.u16()?;
        if version != VERSION {
            return Err(DecodeError::Version(version));
        }
        let plan = reader.array()?;
        let (from, to) = (PartyId(reader.u16()?), PartyId(reader.u16()?));
        let header = Header { plan, from, to, number: reader.u32()? };
        let kind = reader.u8()?;
        let kind = MessageKind::from_code(kind).ok_or(DecodeError::Kind(kind))?;
        let length = reader.u64()?;
        if length > most_bytes || bytes.len() as u64 > most_bytes.saturating_add(1 << 16) {
            return Err(DecodeError::TooLong(length));
        }
        let digest: [u8; 16] = reader.array()?;
        let packed = &bytes[HEADER_BYTES..];
        // Over the compressed bytes: some of their bits change nothing of what comes out.
        if checksum(start(&header, kind, length).bytes(), packed) != digest {
            return Err(DecodeError::Checksum);
        }
        let body = decompress(packed, length)?;
        Ok((header, kind, body))
    }
}

const HEADER_BYTES: usize = 4 + 2 + 16 + 2 + 2 + 4 + 1 + 8 + 16;

fn start(header: &Header, kind: MessageKind, length: u64) -> Writer {
    let mut writer = Writer::default();
    writer.raw(&MAGIC);
    writer.u16(VERSION);
    writer.raw(&header.plan);
    writer.u16(header.from.0);
    writer.u16(header.to.0);
    writer.u32(header.number);
    writer.u8(kind.code());
    writer.u64(length);
    writer
}

/// Against accidents on the way; against forgery stands the channel's own authentication.
pub(super) fn checksum(header: &[u8], packed: &[u8]) -> [u8; 16] {
    let hash: [u8; 32] = Sha256::new().chain_update(header).chain_update(packed).finalize().into();
    let mut digest = [0u8; 16];
    digest.copy_from_slice(&hash[..16]);
    digest
}

/// Grows with what really comes out, up to the announced length: an announcement alone costs no memory.
fn decompress(packed: &[u8], length: u64) -> Result<Vec<u8>, DecodeError> {
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(|_| DecodeError::Compression)?;
    let mut body = Vec::new();
    decoder.take(length.saturating_add(1)).read_to_end(&mut body).map_err(|_| DecodeError::Compression)?;
    if body.len() as u64 == length { Ok(body) } else { Err(DecodeError::Compression) }
}
