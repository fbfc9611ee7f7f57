//! Chance that repeats: a small generator, seeded by what it is for.

/// SplitMix64. Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// The generator for a place in the search: the same numbers at the same place, whatever came before.
    pub(super) fn at(seed: u64, round: u64, block: u64) -> Random {
        let mut random = Random(seed);
        let mixed = random.next() ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        random = Random(mixed);
        Random(random.next() ^ block.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
