//! Numbers that look random, are always the same, and need no state.

/// The `position`-th number of the SplitMix64 sequence of a seed. Steele, Lea & Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014. Any number can be asked for in any order, so a longer table starts with the shorter one.
pub(crate) fn number(seed: u64, position: u64) -> u64 {
    let mut bits = seed.wrapping_add(position.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A number below `end`, made of 64 random bits.
pub(crate) fn below(bits: u64, end: u64) -> u64 {
    ((u128::from(bits) * u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_reference() {
        let numbers = [0, 1, 2].map(|position| number(1_234_567, position));
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_below_their_end() {
        assert!((0..1000).all(|position| below(number(1, position), 7) < 7));
        assert_eq!(below(u64::MAX, 10), 9);
    }
}
