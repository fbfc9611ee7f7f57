//! Which draw a random operator stands for.

use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of one draw. Copies of a plan node share it and mean *the same* random result; two operators written by the
/// user have different ones and are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Draw(u64);

static NEXT: AtomicU64 = AtomicU64::new(1);

impl Draw {
    /// A draw that no other operator has. The number is an identity, not a secret: randomness comes from the session's key.
    pub fn fresh() -> Draw {
        Draw(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// A draw with a number of one's own choice: the same number and the same key give the same result.
    pub fn numbered(number: u64) -> Draw {
        Draw(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}
