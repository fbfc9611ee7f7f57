//! How the body of a message is packed. Whoever reads it need not know: both are frames of zstd (RFC 8878).

/// Compressed or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Packing {
    /// Zstandard, level 3.
    #[default]
    Compressed,
    /// As it is, in raw blocks: to see what compression brings.
    Plain,
}

const LEVEL: i32 = 3;
/// The largest block of the format.
const BLOCK: usize = 1 << 17;
/// Magic number; no content size, checksum or dictionary; a window of 128 KiB, one block.
const START: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3];

impl Packing {
    pub(super) fn pack(self, body: &[u8]) -> Vec<u8> {
        match self {
            // Compressing into memory does not fail; should it, the receiver notices.
            Packing::Compressed => zstd::bulk::compress(body, LEVEL).unwrap_or_default(),
            Packing::Plain => stored(body),
        }
    }
}

/// A frame of raw blocks: three bytes of size and kind each, the lowest bit set in the last.
fn stored(body: &[u8]) -> Vec<u8> {
    let mut packed = START.to_vec();
    let blocks = body.len().div_ceil(BLOCK).max(1);
    for number in 0..blocks {
        let block = &body[number * BLOCK..body.len().min((number + 1) * BLOCK)];
        let last = u32::from(number + 1 == blocks);
        packed.extend_from_slice(&((block.len() as u32) << 3 | last).to_le_bytes()[..3]);
        packed.extend_from_slice(block);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_compressed_is_a_frame_all_the_same() {
        for length in [0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let body: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            for packing in [Packing::Compressed, Packing::Plain] {
                let packed = packing.pack(&body);
                assert_eq!(zstd::stream::decode_all(&packed[..]).unwrap(), body, "{packing:?} {length}");
            }
        }
    }
}
