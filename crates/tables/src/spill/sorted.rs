//! Distinct tuples with their counts, sorted, in a file.

use super::{Budget, Packing, Reader, SpillError, SpillFile};
use std::ops::ControlFlow;

/// Tuples in the order of their codes. They can be read any number of times.
#[derive(Debug)]
pub struct SortedTuples {
    file: SpillFile,
    len: u64,
    packing: Packing,
    budget: Budget,
}

impl SortedTuples {
    pub(super) fn new(file: SpillFile, len: u64, packing: Packing, budget: Budget) -> SortedTuples {
        SortedTuples { file, len, packing, budget }
    }

    /// Number of tuples.
    pub fn len(&self) -> u64 {
        self.len / (self.packing.words() as u64 + 1)
    }

    /// Codes per tuple.
    pub fn width(&self) -> usize {
        self.packing.width()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What memory is allowed.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.len * size_of::<u64>() as u64
    }

    /// Calls `visit` with the codes and the count of every tuple, in order, until it has seen enough or fails.
    pub fn each<E: From<SpillError>>(
        &self,
        mut visit: impl FnMut(&[u32], u64) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let words = self.packing.words();
        let mut reader = Reader::new(&self.file, 0..self.len, words + 1, 1 << 18);
        let mut codes = vec![0u32; self.packing.width()];
        while let Some(record) = reader.next()? {
            self.packing.unpack(&record[..words], &mut codes);
            if visit(&codes, record[words])?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
