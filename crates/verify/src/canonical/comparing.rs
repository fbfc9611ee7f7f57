//! A writer that writes nothing and compares.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// Compares what is written to it with the bytes of a file.
pub(super) struct Comparing<'f> {
    file: &'f File,
    place: u64,
    differs: bool,
    /// Bytes gathered before they are compared.
    written: Vec<u8>,
    read: Vec<u8>,
}

const BUFFER: usize = 1 << 18;

impl<'f> Comparing<'f> {
    pub(super) fn new(file: &'f File) -> Comparing<'f> {
        Comparing { file, place: 0, differs: false, written: Vec::new(), read: Vec::new() }
    }

    fn compare(&mut self) {
        if !self.differs {
            self.read.resize(self.written.len(), 0);
            // A file that ends too early, or cannot be read, is another one.
            let read = self.file.read_exact_at(&mut self.read, self.place);
            self.differs = read.is_err() || self.read != self.written;
        }
        self.place += self.written.len() as u64;
        self.written.clear();
    }

    /// Whether anything was different, the length included.
    pub(super) fn finish(mut self) -> bool {
        self.compare();
        self.differs || self.file.metadata().map_or(true, |metadata| metadata.len() != self.place)
    }
}

impl Write for Comparing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.extend_from_slice(bytes);
        if self.written.len() >= BUFFER {
            self.compare();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
