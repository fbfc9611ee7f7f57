//! From stored bytes to UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::detect::{Sample, replayed};
use super::input::Raw;
use super::{Encoding, ReadOptions};

/// A text file opened at its first character.
pub(super) struct TextInput {
    pub reader: Box<dyn Read + Send>,
    pub encoding: Encoding,
    pub byte_order_mark: bool,
    /// The beginning as UTF-8 (or what is taken for it).
    pub beginning: Vec<u8>,
}

impl TextInput {
    pub(super) fn open(raw: Raw, sample: Sample, options: &ReadOptions) -> Self {
        let mark = sample.byte_order_mark();
        let encoding = match (options.encoding, mark) {
            // Which of the two UTF-16 it is, the mark knows better.
            (
                Some(Encoding::Utf16Le | Encoding::Utf16Be),
                Some((of @ (Encoding::Utf16Le | Encoding::Utf16Be), _)),
            ) => of,
            (Some(asked), _) => asked,
            (None, Some((of, _))) => of,
            (None, None) => sample.encoding(),
        };
        // A mark of another encoding than the one asked for is text.
        let skip = mark.map_or(0, |(of, length)| if of == encoding { length } else { 0 });
        let stored = &sample.bytes[skip..];
        let (beginning, reader): (Vec<u8>, Box<dyn Read + Send>) = match decoding(encoding) {
            None => (stored.to_vec(), Box::new(replayed(sample, skip, raw))),
            Some(decoding) => {
                let (beginning, _) = decoding.decode_without_bom_handling(stored);
                let beginning = beginning.into_owned().into_bytes();
                (beginning, Box::new(Transcoder::new(replayed(sample, skip, raw), decoding)))
            }
        };
        Self { reader, encoding, byte_order_mark: skip > 0, beginning }
    }
}

fn decoding(encoding: Encoding) -> Option<&'static encoding_rs::Encoding> {
    match encoding {
        Encoding::Utf8 => None,
        Encoding::Latin1 => Some(WINDOWS_1252),
        Encoding::Utf16Le => Some(UTF_16LE),
        Encoding::Utf16Be => Some(UTF_16BE),
    }
}

/// The error of a [`Transcoder`] whose input is not what it was taken for has this kind, which no file gives by itself.
pub(super) const UNDECODABLE: io::ErrorKind = io::ErrorKind::InvalidData;

/// Room that the decoder wants: a character, and some.
const LEAST_ROOM: usize = 16;

/// Decodes while reading. Its callers read into large buffers.
struct Transcoder<R> {
    inner: R,
    decoder: Decoder,
    stored: Vec<u8>,
    /// What of `stored` is not decoded yet.
    start: usize,
    end: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Draining,
    Done,
    Failed,
}

impl<R: Read> Transcoder<R> {
    fn new(inner: R, encoding: &'static encoding_rs::Encoding) -> Self {
        let decoder = encoding.new_decoder_without_bom_handling();
        Self { inner, decoder, stored: vec![0; 1 << 16], start: 0, end: 0, state: State::Reading }
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.len() < LEAST_ROOM {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        loop {
            match self.state {
                State::Done => return Ok(0),
                State::Failed => return Err(UNDECODABLE.into()),
                State::Reading if self.start == self.end => {
                    self.start = 0;
                    self.end = self.inner.read(&mut self.stored)?;
                    if self.end == 0 {
                        self.state = State::Draining;
                    }
                }
                State::Reading | State::Draining => {}
            }
            let last = self.state == State::Draining;
            let stored = &self.stored[self.start..self.end];
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(stored, out, last);
            self.start += read;
            match result {
                // What came before is delivered first, so that the error gets the right line.
                DecoderResult::Malformed(..) => self.state = State::Failed,
                DecoderResult::InputEmpty if last => self.state = State::Done,
                DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
            }
            if written > 0 {
                return Ok(written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_across_chunks() {
        let text = "Zoë,Łódź,😀\n".repeat(20_000);
        let stored: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut reader = Transcoder::new(stored.as_slice(), UTF_16BE);
        let (mut decoded, mut room) = (Vec::new(), [0; 1000]);
        loop {
            match reader.read(&mut room).unwrap() {
                0 => break,
                count => decoded.extend_from_slice(&room[..count]),
            }
        }
        assert_eq!(String::from_utf8(decoded).unwrap(), text);
    }

    #[test]
    fn half_a_character_at_the_end_is_an_error() {
        let mut reader = Transcoder::new(&b"a\0b"[..], UTF_16LE);
        let mut room = [0; 64];
        assert_eq!(reader.read(&mut room).unwrap(), 1);
        assert_eq!(reader.read(&mut room).unwrap_err().kind(), UNDECODABLE);
    }
}
