//! How the draws of a statement are numbered.

use crate::operator::Draw;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for the operators of one statement after the other.
///
/// Without a seed every draw is fresh. With one, every statement starts again at 1, so that the same statement gives the same result.
#[derive(Debug, Default)]
pub struct Draws {
    /// 0: fresh draws; else the next number.
    next: AtomicU64,
}

impl Draws {
    /// From now on, new draws.
    pub fn fresh(&self) {
        self.next.store(0, Ordering::Relaxed);
    }

    /// From now on 1, 2, 3, …
    pub fn restart(&self) {
        self.next.store(1, Ordering::Relaxed);
    }

    /// The next draw.
    pub(super) fn next(&self) -> Draw {
        let counted = |next: u64| (next > 0).then(|| next.wrapping_add(1));
        match self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted) {
            Ok(number) => Draw::numbered(number),
            Err(_) => Draw::fresh(),
        }
    }
}
