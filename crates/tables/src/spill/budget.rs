//! How memory is shared out.

/// The memory that a job allows for what grows with distinct tuples: counting, the search, and the release.
///
/// Dictionaries and hierarchies (which grow with distinct *values*), the blocks a table is read in, and the results are not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    bytes: usize,
}

impl Budget {
    /// So many bytes in all.
    pub fn of_bytes(bytes: u64) -> Budget {
        Budget { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) }
    }

    /// No limit: nothing is ever spilled.
    pub fn unlimited() -> Budget {
        Budget { bytes: usize::MAX }
    }

    /// The share of each worker when this number works at the same time. Half of the budget is kept for merging.
    pub fn shared_by(self, many: usize) -> Budget {
        match self.bytes {
            usize::MAX => self,
            bytes => Budget { bytes: bytes / 2 / many.max(1) },
        }
    }

    /// Bytes of tuples counted in memory. Held for a search they need about three times as much, and a growing table twice.
    pub(super) fn counted(self) -> usize {
        self.bytes / 4
    }

    /// Whether this number of bytes of counted tuples may stay in memory.
    pub fn holds(self, bytes: usize) -> bool {
        bytes <= self.counted()
    }

    /// Bytes of tuples sorted at a time.
    pub(super) fn sorted(self) -> usize {
        self.bytes / 4
    }

    /// Bytes of all buffers that runs are read through at a time.
    pub(super) fn buffers(self) -> usize {
        self.bytes / 8
    }

    /// Bytes of a piece that tuples are read back in.
    pub fn piece(self) -> usize {
        self.bytes / 32
    }

    /// Bytes of classes gathered at a time.
    pub fn classes(self) -> usize {
        self.bytes / 8
    }

    /// Bytes of snapshots kept for roll-up, where tuples were spilled.
    pub fn snapshots(self) -> usize {
        self.bytes / 8
    }

    /// Bytes for anything that is gathered once and gone before the next.
    pub fn once(self) -> usize {
        self.bytes / 4
    }
}
