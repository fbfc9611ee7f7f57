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

    /// The draw of one part, where a rewrite splits an operator into several: the same part of the same draw is always the same one,
    /// and different parts are independent. The upper half of the numbers is theirs, so that no part meets a counted draw.
    pub fn part(self, index: u64) -> Draw {
        let step = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The finalizer of SplitMix64: a bijection, so parts of one draw never meet before the upper bit is set.
        let mut mixed = self.0.rotate_left(17) ^ step;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Draw((mixed ^ (mixed >> 31)) | 1 << 63)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn parts_are_the_same_every_time_and_differ_from_each_other() {
        assert_eq!(Draw::numbered(3).part(1), Draw::numbered(3).part(1));
        let draws = (0..200).map(Draw::numbered);
        let parts = draws.clone().flat_map(|draw| (0..50).map(move |part| draw.part(part)));
        let deeper = draws.clone().flat_map(|draw| (0..5).map(move |part| draw.part(part).part(part)));
        let all: BTreeSet<Draw> = draws.chain(parts).chain(deeper).collect();
        assert_eq!(all.len(), 200 + 200 * 50 + 200 * 5);
    }
}
