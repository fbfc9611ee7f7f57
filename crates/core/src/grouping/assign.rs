//! Which entries fall together? Codes become one mixed-radix key per entry, keys become dense class numbers.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Class number of each entry, numbered by first appearance, and the first entry of each class.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    pub(super) class_of: Vec<u32>,
    pub(super) first_of: Vec<u32>,
}

/// A column of codes and the map that lifts them to the wanted level.
pub(super) struct Lifted<'a> {
    pub(super) codes: &'a [u32],
    pub(super) lift: &'a [u32],
    pub(super) cardinality: usize,
}

/// Keys up to this many times the number of entries are counted in an array instead of hashed.
const DENSE_FACTOR: u64 = 8;
/// Arrays up to this size are always worth it.
const DENSE_AT_LEAST: u64 = 1 << 12;

/// Groups `entries` entries by their lifted codes.
pub(super) fn assign(entries: usize, columns: &[Lifted<'_>]) -> Assignment {
    let mut keys = vec![0u64; entries];
    let mut radix: u64 = 1;
    for column in columns.iter().filter(|column| column.cardinality > 1) {
        let cardinality = column.cardinality as u64;
        if radix.checked_mul(cardinality).is_none() {
            // The product would not fit: number the combinations so far and go on from there.
            let so_far = number(&keys, radix);
            radix = so_far.first_of.len() as u64;
            keys = so_far.class_of.into_iter().map(u64::from).collect();
        }
        for (key, &code) in keys.iter_mut().zip(column.codes) {
            *key = *key * cardinality + u64::from(column.lift[code as usize]);
        }
        radix = radix.saturating_mul(cardinality);
    }
    number(&keys, radix)
}

/// Dense numbers for keys below `radix`.
fn number(keys: &[u64], radix: u64) -> Assignment {
    if radix <= DENSE_AT_LEAST.max(DENSE_FACTOR * keys.len() as u64) {
        number_by_array(keys, radix as usize)
    } else {
        number_by_hash(keys, usize::try_from(radix).unwrap_or(usize::MAX))
    }
}

fn number_by_array(keys: &[u64], radix: usize) -> Assignment {
    let mut numbers = vec![u32::MAX; radix];
    let mut first_of = Vec::new();
    let class_of = keys
        .iter()
        .enumerate()
        .map(|(entry, &key)| {
            let number = &mut numbers[key as usize];
            if *number == u32::MAX {
                *number = first_of.len() as u32;
                first_of.push(entry as u32);
            }
            *number
        })
        .collect();
    Assignment { class_of, first_of }
}

fn number_by_hash(keys: &[u64], radix: usize) -> Assignment {
    let state = FixedState::default();
    // Half as many classes as entries is a fair guess; growing costs more than room that stays empty.
    let mut numbers: HashTable<(u64, u32)> = HashTable::with_capacity((keys.len() / 2).min(radix));
    let mut first_of = Vec::new();
    let class_of = keys
        .iter()
        .enumerate()
        .map(|(entry, &key)| {
            let hash = |key: u64| state.hash_one(key);
            let slot = numbers.entry(hash(key), |&(known, _)| known == key, |&(known, _)| hash(known));
            slot.or_insert_with(|| {
                first_of.push(entry as u32);
                (key, first_of.len() as u32 - 1)
            })
            .get()
            .1
        })
        .collect();
    Assignment { class_of, first_of }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_combinations_than_a_key_can_hold_are_told_apart() {
        // Ten columns of 2^20 values each: 2^200 combinations.
        let lift: Vec<u32> = (0..1 << 20).collect();
        let codes: Vec<Vec<u32>> = (0..10).map(|c| vec![c, (1 << 20) - 1, c]).collect();
        let columns: Vec<Lifted<'_>> =
            codes.iter().map(|codes| Lifted { codes, lift: &lift, cardinality: 1 << 20 }).collect();
        let assignment = assign(3, &columns);
        assert_eq!(assignment.class_of, [0, 1, 0]);
        assert_eq!(assignment.first_of, [0, 1]);
    }

    proptest! {
        #[test]
        fn array_and_hash_number_alike(keys in prop::collection::vec(0u64..50, 0..200)) {
            let (a, b) = (number_by_array(&keys, 50), number_by_hash(&keys, 50));
            prop_assert_eq!(a.class_of, b.class_of);
            prop_assert_eq!(a.first_of, b.first_of);
        }
    }
}
