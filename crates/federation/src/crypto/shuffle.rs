//! Unpredictable permutations.

use rand_core::CryptoRng;

/// A uniformly random permutation of `0..n`. Fisher & Yates.
pub fn permutation(n: usize, rng: &mut dyn CryptoRng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    shuffle(&mut order, rng);
    order
}

/// Puts items into a uniformly random order.
pub fn shuffle<T>(items: &mut [T], rng: &mut dyn CryptoRng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, rng) as usize);
    }
}

/// The items in the order of a permutation.
pub fn permute<T: Clone>(items: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&from| items[from as usize].clone()).collect()
}

/// A uniform number below `n` (at least 1), by rejection.
pub(crate) fn below(n: u64, rng: &mut dyn CryptoRng) -> u64 {
    let largest = u64::MAX - u64::MAX % n;
    loop {
        let drawn = rng.next_u64();
        if drawn < largest {
            return drawn % n;
        }
    }
}
