//! SHA-256 of a file while it is written.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// Passes bytes on and hashes them.
pub(super) struct HashingWriter<W> {
    out: W,
    hash: Sha256,
}

impl<W: Write> HashingWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, hash: Sha256::new() }
    }

    /// Flushes and gives the digest of everything written.
    pub(super) fn finish(mut self) -> io::Result<String> {
        self.out.flush()?;
        Ok(hex::encode(self.hash.finalize()))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
