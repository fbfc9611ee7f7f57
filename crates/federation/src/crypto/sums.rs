//! Counters added up by key.

use super::AdditiveCounters;
use rayon::prelude::*;

/// Counters that one core adds up at a time.
const STRETCH: usize = 2048;

/// The sum of the counters of each key, in the order of the keys. All cores share the work, also where one key has most of the
/// counters; a group has one sum whatever the order of its terms.
pub fn sums_by_key<C: AdditiveCounters, K: Ord + Copy + Send + Sync>(
    keys: &[K],
    counters: &[C::Counter],
) -> (Vec<K>, Vec<C::Counter>) {
    let mut order: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
    order.par_sort_unstable();
    let sum_run = |run: &[(K, u32)]| {
        let mut terms = run.iter().map(|&(_, at)| &counters[at as usize]);
        let first = terms.next().cloned().unwrap_or_else(C::nothing);
        (run[0].0, terms.fold(first, |sum, term| C::add(&sum, term)))
    };
    let sum_stretch = |stretch: &[(K, u32)]| -> Vec<(K, C::Counter)> {
        stretch.chunk_by(|a, b| a.0 == b.0).map(sum_run).collect()
    };
    let stretches: Vec<Vec<(K, C::Counter)>> = order.par_chunks(STRETCH).map(sum_stretch).collect();
    let different = stretches.iter().map(Vec::len).sum();
    let (mut found, mut sums) = (Vec::with_capacity(different), Vec::with_capacity(different));
    for (key, counter) in stretches.into_iter().flatten() {
        match sums.last_mut() {
            Some(sum) if found.last() == Some(&key) => *sum = C::add(sum, &counter),
            _ => {
                found.push(key);
                sums.push(counter);
            }
        }
    }
    (found, sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::NotACounter;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Counts that hide nothing: what is tested here is who is added to whom.
    struct Open;

    impl AdditiveCounters for Open {
        type Public = ();
        type Secret = ();
        type Counter = u64;

        fn generate(_: &mut dyn rand_core::CryptoRng) -> ((), ()) {
            ((), ())
        }
        fn encrypt((): &(), counts: &[u64], _: &mut dyn rand_core::CryptoRng) -> Vec<u64> {
            counts.to_vec()
        }
        fn nothing() -> u64 {
            0
        }
        fn add(a: &u64, b: &u64) -> u64 {
            a + b
        }
        fn rerandomise((): &(), counters: &[u64], _: &mut dyn rand_core::CryptoRng) -> Vec<u64> {
            counters.to_vec()
        }
        fn decrypt((): &(), counters: &[u64], _: u64) -> Result<Vec<u64>, NotACounter> {
            Ok(counters.to_vec())
        }
    }

    proptest! {
        #[test]
        fn many_cores_add_up_what_one_adds_up(
            entries in prop::collection::vec((0u8..20, 0u64..9), 0..3 * STRETCH),
            one_key in any::<bool>(),
        ) {
            let (keys, counts): (Vec<u8>, Vec<u64>) =
                entries.into_iter().map(|(key, count)| (if one_key { 7 } else { key }, count)).unzip();
            let mut slow: BTreeMap<u8, u64> = BTreeMap::new();
            keys.iter().zip(&counts).for_each(|(&key, count)| *slow.entry(key).or_default() += count);
            prop_assert_eq!(sums_by_key::<Open, u8>(&keys, &counts), slow.into_iter().unzip());
        }
    }
}
