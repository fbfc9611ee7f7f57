//! A text file, chunk by chunk.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::text::{TextInput, UNDECODABLE};
use super::{Encoding, Place, ReadError};

/// Bytes read at a time.
const CHUNK: usize = 1 << 18;

/// The text in pieces. A line end is added behind the last one, so that every line has an end.
pub(super) struct Chunks {
    path: PathBuf,
    encoding: Encoding,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    state: State,
    /// Whether there was a NUL byte in any chunk so far.
    pub nul_seen: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    LastLineEnd,
    Ended,
}

impl Chunks {
    pub(super) fn new(path: &Path, text: TextInput) -> Self {
        Self {
            path: path.to_owned(),
            encoding: text.encoding,
            reader: text.reader,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            state: State::Text,
            nul_seen: false,
        }
    }

    /// What is left of the current chunk, or the next one. Empty at the end. The line is for errors.
    pub(super) fn peek(&mut self, line: u64) -> Result<&[u8], ReadError> {
        if self.start == self.end {
            self.refill(line)?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.start += count;
    }

    fn refill(&mut self, line: u64) -> Result<(), ReadError> {
        self.start = 0;
        self.end = 0;
        while self.state == State::Text {
            match self.reader.read(&mut self.buffer) {
                Ok(0) => self.state = State::LastLineEnd,
                Ok(count) => {
                    self.end = count;
                    self.nul_seen |= self.buffer[..count].contains(&0);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error, line)),
            }
        }
        if self.state == State::LastLineEnd {
            self.state = State::Ended;
            self.buffer[0] = b'\n';
            self.end = 1;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error, line: u64) -> ReadError {
        let path = self.path.clone();
        if source.kind() == UNDECODABLE {
            return ReadError::Undecodable { path, place: Place::line(line), encoding: self.encoding.name() };
        }
        ReadError::Io { path, source }
    }
}
