//! The memory that operators of the engine ask for.

use super::{Bounds, Exceeded};
use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// First come, first served, up to a limit that may change between statements. Its refusal tells no number.
#[derive(Debug)]
pub(super) struct Pool {
    used: AtomicUsize,
    bounds: Arc<Bounds>,
}

impl Pool {
    pub(super) fn new(bounds: Arc<Bounds>) -> Pool {
        Pool { used: AtomicUsize::new(0), bounds }
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl MemoryPool for Pool {
    fn name(&self) -> &str {
        "statement"
    }

    fn grow(&self, _: &MemoryReservation, additional: usize) {
        self.used.fetch_add(additional, Ordering::Relaxed);
    }

    fn shrink(&self, _: &MemoryReservation, shrink: usize) {
        self.used.fetch_sub(shrink, Ordering::Relaxed);
    }

    fn try_grow(&self, _: &MemoryReservation, additional: usize) -> Result<()> {
        let most = self.bounds.memory();
        let grown = |used: usize| used.checked_add(additional).filter(|used| *used <= most);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown) {
            Ok(_) => Ok(()),
            // The engine looks for this kind where it could go on with less.
            Err(_) => {
                Err(datafusion::common::DataFusionError::ResourcesExhausted(Exceeded::Memory.to_string()))
            }
        }
    }

    fn reserved(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bounds.memory())
    }
}
