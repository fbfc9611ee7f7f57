//! The objects of a JSON file as pieces of text: one behind the other, or the elements of one array.

use std::path::PathBuf;

use super::chunks::Chunks;
use super::{Place, ReadError};

/// Cuts the text into objects, holding one at a time.
pub(super) struct JsonValues {
    path: PathBuf,
    chunks: Chunks,
    limit: usize,
    line: u64,
    layout: Layout,
    object: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Nothing seen yet.
    Unknown,
    /// Objects with white space between them.
    Lines,
    /// Inside the array: before its first element, after an element, behind its end.
    ArrayStart,
    ArrayElement,
    ArrayEnd,
}

impl JsonValues {
    pub(super) fn new(path: PathBuf, chunks: Chunks, limit: usize) -> Self {
        Self { path, chunks, limit, line: 1, layout: Layout::Unknown, object: Vec::new() }
    }

    /// The object that was read last.
    pub(super) fn object(&self) -> &[u8] {
        &self.object
    }

    /// Reads the next object and tells the line on which it starts.
    pub(super) fn advance(&mut self) -> Result<Option<u64>, ReadError> {
        loop {
            let byte = self.skip_white_space()?;
            self.layout = match (self.layout, byte) {
                (Layout::Unknown | Layout::Lines, Some(b'{')) => {
                    self.layout = Layout::Lines;
                    return self.read_object().map(Some);
                }
                (Layout::ArrayStart, Some(b'{')) => {
                    self.layout = Layout::ArrayElement;
                    return self.read_object().map(Some);
                }
                (Layout::Unknown | Layout::Lines | Layout::ArrayEnd, None) => return Ok(None),
                (Layout::Unknown, Some(b'[')) => Layout::ArrayStart,
                (Layout::ArrayStart | Layout::ArrayElement, Some(b']')) => Layout::ArrayEnd,
                (Layout::ArrayElement, Some(b',')) => {
                    self.chunks.advance(1);
                    if self.skip_white_space()? != Some(b'{') {
                        return Err(self.error("an object is expected behind the comma"));
                    }
                    return self.read_object().map(Some);
                }
                (Layout::ArrayStart | Layout::ArrayElement, None) => {
                    return Err(self.error("the array is never closed"));
                }
                (Layout::ArrayElement, Some(_)) => {
                    return Err(self.error("a comma is expected between objects"));
                }
                (Layout::ArrayEnd, Some(_)) => return Err(self.error("text behind the end of the array")),
                (_, Some(_)) => return Err(self.error("an object is expected, like {\"age\": 34}")),
            };
            self.chunks.advance(1);
        }
    }

    fn skip_white_space(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let chunk = self.chunks.peek(self.line)?;
            match chunk.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
                Some(white) => {
                    let byte = chunk[white];
                    self.line += line_ends(&chunk[..white]);
                    self.chunks.advance(white);
                    return Ok(Some(byte));
                }
                None if chunk.is_empty() => return Ok(None),
                None => {
                    let white = chunk.len();
                    self.line += line_ends(chunk);
                    self.chunks.advance(white);
                }
            }
        }
    }

    /// Reads to the brace that closes the one at hand.
    fn read_object(&mut self) -> Result<u64, ReadError> {
        let line = self.line;
        self.object.clear();
        let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
        loop {
            let chunk = self.chunks.peek(self.line)?;
            if chunk.is_empty() {
                self.line = line;
                return Err(self.error("the object is never closed"));
            }
            let mut used = chunk.len();
            for (i, &byte) in chunk.iter().enumerate() {
                if in_text {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => in_text = false,
                        _ => {}
                    }
                    continue;
                }
                match byte {
                    b'"' => in_text = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => continue,
                }
                if depth == 0 {
                    used = i + 1;
                    break;
                }
            }
            if self.object.len() + used > self.limit {
                self.line = line;
                return Err(self.error("an object larger than a cell may be; is a text never closed?"));
            }
            self.object.extend_from_slice(&chunk[..used]);
            self.line += line_ends(&chunk[..used]);
            self.chunks.advance(used);
            if depth == 0 {
                return Ok(line);
            }
        }
    }

    fn error(&self, what: &'static str) -> ReadError {
        ReadError::Json { path: self.path.clone(), place: Place::line(self.line), what }
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}
