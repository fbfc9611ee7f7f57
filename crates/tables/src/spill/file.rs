//! A file without a name.

use crate::unnamed;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(test)]
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Why tuples could not be put aside or read back.
#[derive(Debug, thiserror::Error)]
#[error("{}: the tuples that memory cannot hold could not be put aside: {source}", folder.display())]
pub struct SpillError {
    /// The folder of the file.
    pub folder: PathBuf,
    /// What the operating system says.
    pub source: io::Error,
}

/// A file that is written once, from the beginning, and then read from any place. Only its owner can open it, and it is gone when it is closed.
#[derive(Debug)]
pub(super) struct SpillFile {
    file: Mutex<File>,
    folder: PathBuf,
}

impl SpillFile {
    fn create() -> Result<SpillFile, SpillError> {
        SpillFile::create_in(unnamed::folder())
    }

    pub(super) fn create_in(folder: PathBuf) -> Result<SpillFile, SpillError> {
        match unnamed::on_disk(&folder) {
            Ok(file) => Ok(SpillFile { file: Mutex::new(file), folder }),
            Err(source) => Err(SpillError { folder, source }),
        }
    }

    fn at<T>(&self, from: SeekFrom, act: impl FnOnce(&mut File) -> io::Result<T>) -> Result<T, SpillError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let done = file.seek(from).and_then(|_| act(&mut file));
        done.map_err(|source| SpillError { folder: self.folder.clone(), source })
    }
}

#[cfg(test)]
impl SpillFile {
    /// Who may do what.
    pub(super) fn mode(&self) -> u32 {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.metadata().map_or(0, |metadata| metadata.permissions().mode()) & 0o777
    }
}

/// Appends numbers of 64 bits to a new file.
#[derive(Debug)]
pub(super) struct Writer {
    file: SpillFile,
    buffer: Vec<u8>,
    /// Numbers written so far.
    len: u64,
}

/// Bytes gathered before they go to the file.
const BLOCK: usize = 1 << 16;
/// Bytes of a number.
const NUMBER: usize = size_of::<u64>();

impl Writer {
    pub(super) fn create() -> Result<Writer, SpillError> {
        Ok(Writer { file: SpillFile::create()?, buffer: Vec::with_capacity(BLOCK + 1024), len: 0 })
    }

    pub(super) fn push(&mut self, numbers: &[u64]) -> Result<(), SpillError> {
        for number in numbers {
            self.buffer.extend_from_slice(&number.to_le_bytes());
        }
        self.len += numbers.len() as u64;
        if self.buffer.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    /// Where the next number will be.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn finish(mut self) -> Result<SpillFile, SpillError> {
        self.flush()?;
        Ok(self.file)
    }

    fn flush(&mut self) -> Result<(), SpillError> {
        let buffer = &self.buffer;
        self.file.at(SeekFrom::End(0), |file| file.write_all(buffer))?;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads records of fixed length from a section of a file.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    file: &'a SpillFile,
    /// The next number to read from the file, and the one behind the last.
    next: u64,
    end: u64,
    record: usize,
    bytes: Vec<u8>,
    numbers: Vec<u64>,
    /// Numbers already handed out.
    used: usize,
    block: usize,
}

impl<'a> Reader<'a> {
    /// Reads records of `record` numbers, at least one at a time and about `buffer` bytes.
    pub(super) fn new(
        file: &'a SpillFile,
        range: std::ops::Range<u64>,
        record: usize,
        buffer: usize,
    ) -> Reader<'a> {
        let block = (buffer / NUMBER / record.max(1)).max(1) * record.max(1);
        Reader {
            file,
            next: range.start,
            end: range.end,
            record: record.max(1),
            bytes: Vec::new(),
            numbers: Vec::new(),
            used: 0,
            block,
        }
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<&[u64]>, SpillError> {
        if self.used == self.numbers.len() && !self.fill()? {
            return Ok(None);
        }
        let start = self.used;
        self.used += self.record;
        Ok(Some(&self.numbers[start..self.used]))
    }

    fn fill(&mut self) -> Result<bool, SpillError> {
        let count = (self.end - self.next).min(self.block as u64) as usize;
        if count == 0 {
            return Ok(false);
        }
        self.bytes.resize(count * NUMBER, 0);
        let bytes = &mut self.bytes;
        self.file.at(SeekFrom::Start(self.next * NUMBER as u64), |file| file.read_exact(bytes))?;
        self.numbers.clear();
        let numbers = self.bytes.chunks_exact(NUMBER);
        self.numbers
            .extend(numbers.map(|bytes| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))));
        self.next += count as u64;
        self.used = 0;
        Ok(true)
    }
}
