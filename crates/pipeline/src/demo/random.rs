//! Numbers that look random and are always the same.

/// SplitMix64: a counter and a good mixer. Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014. For made-up data only: whoever knows the seed knows all.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`. The tiny preference for small numbers does not matter here.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u32
    }

    /// A number from `low` to `high`, both included, the middle more often: the mean of two.
    pub(super) fn around_middle(&mut self, low: u32, high: u32) -> u32 {
        let span = high - low + 1;
        low + (self.below(span) + self.below(span)) / 2
    }

    /// One of the entries.
    pub(super) fn pick<'a, T>(&mut self, entries: &'a [T]) -> &'a T {
        &entries[self.below(entries.len() as u32) as usize]
    }

    /// A position, as often as its weight says.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let mut left = self.below(weights.clone().sum());
        for (position, weight) in weights.enumerate() {
            if left < weight {
                return position;
            }
            left -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_reference() {
        let mut random = Random::new(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| (3..=9).contains(&random.around_middle(3, 9))));
        assert!((0..1000).all(|_| random.weighted([0, 5, 0, 1].into_iter()) % 2 == 1));
        assert_eq!(random.pick(&["only"]), &"only");
    }
}
