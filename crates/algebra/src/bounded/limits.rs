//! The limits of a session.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// What one statement may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Seconds from the start of a statement to its answer.
    pub seconds: u64,
    /// Bytes that a statement keeps beside the tables.
    pub memory: u64,
    /// Bytes of the answer.
    pub answer: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { seconds: 60, memory: 2 << 30, answer: 64 << 20 }
    }
}

/// The limits as the engine's parts see them; a setting changes them between statements.
#[derive(Debug)]
pub(crate) struct Bounds {
    seconds: AtomicU64,
    memory: AtomicU64,
    answer: AtomicU64,
    /// Partitions that rows are counted in.
    partitions: AtomicUsize,
}

impl Bounds {
    pub(crate) fn new(limits: Limits) -> Bounds {
        let Limits { seconds, memory, answer } = limits;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Bounds {
            seconds: seconds.into(),
            memory: memory.into(),
            answer: answer.into(),
            partitions: cores.into(),
        }
    }

    pub(crate) fn set(&self, limits: Limits) {
        self.seconds.store(limits.seconds, Ordering::Relaxed);
        self.memory.store(limits.memory, Ordering::Relaxed);
        self.answer.store(limits.answer, Ordering::Relaxed);
    }

    pub(crate) fn set_partitions(&self, partitions: usize) {
        self.partitions.store(partitions.max(1), Ordering::Relaxed);
    }

    pub(crate) fn partitions(&self) -> usize {
        self.partitions.load(Ordering::Relaxed)
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.load(Ordering::Relaxed))
    }

    pub(crate) fn memory(&self) -> usize {
        usize::try_from(self.memory.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    pub(crate) fn answer(&self) -> usize {
        usize::try_from(self.answer.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }
}
