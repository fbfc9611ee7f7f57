//! Chance that is the same every time.

/// SplitMix64: the same questions every time.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    pub fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// How many rounds to try: `PARAVENT_RANDOM`, or so many.
pub fn rounds(usual: u64) -> u64 {
    std::env::var("PARAVENT_RANDOM").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}
