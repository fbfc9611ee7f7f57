//! A hash table from keys to dense numbers, for grouping only: keys are added, found and all forgotten at once.
//!
//! One probe touches one line of memory, and forgetting costs as much as there are keys, however large the table has grown. On
//! tuples that are nearly all different it takes less than half the time of the general table it replaced.

use super::number::NONE;

/// Open addressing, linear probing, at most half full.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// Number → key.
    keys: Vec<u64>,
    /// Hashes are shifted right by this much.
    shift: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    number: u32,
}

const EMPTY: Slot = Slot { key: 0, number: NONE };
/// Slots to begin with, as a power of two; the table doubles. Not tuned.
const FIRST_BITS: u32 = 12;

impl Slots {
    /// The number of a key; `is_new` is called if it had none.
    pub(super) fn number(&mut self, key: u64, is_new: impl FnOnce()) -> u32 {
        if 2 * self.keys.len() >= self.slots.len() {
            self.grow();
        }
        let at = self.slot_of(key);
        let slot = &mut self.slots[at];
        if slot.number == NONE {
            *slot = Slot { key, number: self.keys.len() as u32 };
            self.keys.push(key);
            is_new();
        }
        slot.number
    }

    /// The number of a key, [`NONE`] if it has none.
    pub(super) fn find(&self, key: u64) -> u32 {
        if self.slots.is_empty() { NONE } else { self.slots[self.slot_of(key)].number }
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        if self.keys.len() >= self.slots.len() / 8 {
            self.slots.fill(EMPTY);
            self.keys.clear();
        }
        // Last in, first out: what a key had to step over is still there when it is looked for.
        while let Some(key) = self.keys.pop() {
            let at = self.slot_of(key);
            self.slots[at] = EMPTY;
        }
    }

    /// The slot with the key, or the empty one where it belongs.
    fn slot_of(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        loop {
            let slot = self.slots[at & mask];
            if slot.number == NONE || slot.key == key {
                return at & mask;
            }
            at += 1;
        }
    }

    fn grow(&mut self) {
        let bits = if self.slots.is_empty() { FIRST_BITS } else { self.slots.len().trailing_zeros() + 2 };
        self.slots.clear();
        self.slots.resize(1 << bits, EMPTY);
        self.shift = u64::BITS - bits;
        for number in 0..self.keys.len() {
            let key = self.keys[number];
            let at = self.slot_of(key);
            self.slots[at] = Slot { key, number: number as u32 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_map(rounds in prop::collection::vec(prop::collection::vec(0u64..6000, 0..6000), 1..4)) {
            let mut slots = Slots::default();
            for keys in rounds {
                let mut map: HashMap<u64, u32> = HashMap::new();
                for key in keys {
                    let next = map.len() as u32;
                    let expected = *map.entry(key).or_insert(next);
                    let mut new = false;
                    prop_assert_eq!(slots.number(key, || new = true), expected);
                    prop_assert_eq!(new, expected == next);
                }
                slots.clear();
                prop_assert!(slots.slots.iter().all(|slot| slot.number == NONE));
            }
        }
    }
}
