//! Tuples in the order they came.

use super::{Reader, SpillError, SpillFile, Writer};

/// A tuple per row, in a file, to be read back once all are there.
#[derive(Debug)]
pub struct TupleLog {
    file: SpillFile,
    len: u64,
    width: usize,
}

/// A log that is being written.
#[derive(Debug)]
pub struct TupleLogWriter {
    writer: Writer,
    record: Vec<u64>,
    width: usize,
}

impl TupleLogWriter {
    /// An empty log of tuples with `width` codes each.
    pub fn create(width: usize) -> Result<TupleLogWriter, SpillError> {
        Ok(TupleLogWriter { writer: Writer::create()?, record: vec![0; width.div_ceil(2).max(1)], width })
    }

    /// Appends a tuple.
    pub fn push(&mut self, tuple: &[u32]) -> Result<(), SpillError> {
        for (pair, codes) in self.record.iter_mut().zip(tuple.chunks(2)) {
            *pair = u64::from(codes[0]) | codes.get(1).map_or(0, |&code| u64::from(code) << 32);
        }
        self.writer.push(&self.record)
    }

    /// The log, complete.
    pub fn finish(self) -> Result<TupleLog, SpillError> {
        Ok(TupleLog { len: self.writer.len(), file: self.writer.finish()?, width: self.width })
    }
}

impl TupleLog {
    /// Calls `visit` with every tuple, in the order they came.
    pub fn each<E: From<SpillError>>(
        &self,
        mut visit: impl FnMut(&mut [u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = Reader::new(&self.file, 0..self.len, self.width.div_ceil(2).max(1), 1 << 18);
        let mut codes = vec![0u32; self.width];
        while let Some(record) = reader.next()? {
            for (codes, &pair) in codes.chunks_mut(2).zip(record) {
                codes[0] = pair as u32;
                if let [_, second] = codes {
                    *second = (pair >> 32) as u32;
                }
            }
            visit(&mut codes)?;
        }
        Ok(())
    }
}
