//! How many rows are in too small classes? Most checks need to know no more, and a byte per combination tells it.
//!
//! A counter stops at 255, far above any class size that matters here. Where there are too many combinations for a counter each,
//! several share one: that merges classes, and merging never makes one smaller, so what is counted then is a lower bound.

use super::layout::{CHUNK_BITS, Chunk, SLOTS};
use super::lift::Lift;
use super::number::Entries;
use std::sync::Arc;

/// Where a counter stops.
const MOST: u32 = u8::MAX as u32;
/// Counters per tuple of the table where combinations share them: the more, the fewer do. Measure a change with 5-anonymity
/// at 5 % on wide tables such as cup (`k-anonymity` workload of `docs/guide/bench.md`).
const COUNTERS_PER_TUPLE: usize = 8;
/// Counters are reset one by one beyond this number per entry. Measure a change with the same cases on small
/// tables such as fars.
const FEW: usize = 128;
/// Tables of chunks that share are this long: what they are asked for then needs no comparison with the length.
const TABLE: usize = 1 << CHUNK_BITS;
/// Entries tallied at a time: their keys stay in the first-level cache. Not tuned.
const BLOCK: usize = 1024;

/// What a tally has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tallied {
    /// Rows in classes that are too small; a lower bound if not [`exact`](Self::exact).
    pub(crate) rows_below: u64,
    /// Classes; a lower bound if not exact.
    pub(crate) classes: usize,
    /// Whether every combination had a counter of its own.
    pub(crate) exact: bool,
}

/// Which counter an entry has: the sum of what its chunks add, without the lowest bits.
pub(super) struct Places {
    addends: Vec<Addend>,
    /// Bits of the sum that do not count; 0 where every combination has a counter of its own.
    drop: u32,
    counters: usize,
}

/// What the bits of one chunk add.
pub(super) struct Addend {
    word: usize,
    shift: u32,
    mask: u64,
    table: Vec<u32>,
}

impl Addend {
    /// What each value of a chunk's bits adds; those beyond the table add nothing.
    pub(super) fn new(chunk: &Chunk, mut table: Vec<u32>) -> Addend {
        let own = chunk.mask() as usize + 1;
        if own <= TABLE {
            // Bits of the next chunk are looked up, too, and change nothing.
            table.resize(own, 0);
            table = table.repeat(TABLE / own);
        }
        Addend { word: chunk.word, shift: chunk.shift, mask: chunk.mask(), table }
    }

    fn of(&self, word: u64) -> u32 {
        self.table[((word >> self.shift) & self.mask) as usize]
    }
}

impl Entries<'_> {
    /// Rows in classes of fewer than `least` rows. `rows` has those of every entry; the counters are all 0, before and after.
    pub(super) fn tally(&self, rows: &[u32], least: u8, counters: &mut Vec<u8>) -> Tallied {
        self.tally_at(&self.places(), rows, least, counters)
    }

    fn places(&self) -> Places {
        match self.array() {
            Some(combinations) => self.own_places(combinations),
            None => {
                self.shared_places((COUNTERS_PER_TUPLE * self.tuples).next_power_of_two().trailing_zeros())
            }
        }
    }

    /// The entries with rows that are in classes of fewer than `least` rows; where classes share counters, some may be left out.
    pub(super) fn small(&self, rows: &[u32], least: u8, counters: &mut Vec<u8>) -> Vec<u32> {
        let places = self.places();
        if counters.len() < places.counters {
            counters.resize(places.counters, 0);
        }
        let counters = &mut counters[..places.counters];
        let mut keys: Vec<u32> = Vec::with_capacity(rows.len());
        places.each(self.words, self.width, rows, |block, rows| {
            for (&key, &rows) in block.iter().zip(rows) {
                let counter = &mut counters[key as usize];
                *counter = (u32::from(*counter) + rows.min(MOST)).min(MOST) as u8;
            }
            keys.extend_from_slice(block);
        });
        let entries = (0u32..).zip(keys.iter().zip(rows));
        let small = entries.filter(|&(_, (&key, &rows))| counters[key as usize] < least && rows > 0);
        let small = small.map(|(entry, _)| entry).collect();
        counters.fill(0);
        small
    }

    fn tally_at(&self, places: &Places, rows: &[u32], least: u8, counters: &mut Vec<u8>) -> Tallied {
        if counters.len() < places.counters {
            counters.resize(places.counters, 0);
        }
        let counters = &mut counters[..places.counters];
        let mut tallied = Tallied { rows_below: 0, classes: 0, exact: places.drop == 0 };
        places.each(self.words, self.width, rows, |keys, rows| tallied.add(keys, rows, least, counters));
        if counters.len() / FEW <= self.len() {
            counters.fill(0);
        } else {
            places.each(self.words, self.width, rows, |keys, _| {
                keys.iter().for_each(|&key| counters[key as usize] = 0);
            });
        }
        tallied
    }

    /// The combinations of the chunks as digits of one number.
    pub(super) fn own_places(&self, combinations: u64) -> Places {
        let mut weight = 1u32;
        let addends = self.addends(|_, radix| {
            let of_this = weight;
            weight = weight.wrapping_mul(radix as u32);
            move |combination| combination.wrapping_mul(of_this)
        });
        Places { addends, drop: 0, counters: combinations as usize }
    }

    /// Sums of numbers that look drawn at random: they spread over all counters.
    fn shared_places(&self, bits: u32) -> Places {
        let bits = bits.clamp(8, u32::BITS - 1);
        let addends = self.addends(|position, _| move |combination| scattered(position, combination));
        Places { addends, drop: u32::BITS - bits, counters: 1 << bits }
    }

    fn addends<F: Fn(u32) -> u32>(&self, mut place: impl FnMut(u32, u64) -> F) -> Vec<Addend> {
        let addend = |(position, (chunk, lift)): (u32, &(&Chunk, Arc<Lift>))| {
            let place = place(position, lift.radix);
            Addend::new(chunk, lift.combination.iter().map(|&combination| place(combination)).collect())
        };
        (0u32..).zip(&self.lifts).map(addend).collect()
    }
}

impl Tallied {
    fn add(&mut self, keys: &[u32], rows: &[u32], least: u8, counters: &mut [u8]) {
        let least = u32::from(least);
        let small = |rows: u32| if rows < least { rows } else { 0 };
        let (mut below, mut classes) = (0u32, 0u32);
        for (&key, &rows) in keys.iter().zip(rows) {
            let counter = &mut counters[key as usize];
            let before = u32::from(*counter);
            let after = (before + rows.min(MOST)).min(MOST);
            *counter = after as u8;
            below = below.wrapping_add(small(after)).wrapping_sub(small(before));
            classes += u32::from(before == 0);
        }
        // A block may take more rows out of too small classes than it puts in.
        self.rows_below = self.rows_below.wrapping_add_signed(i64::from(below as i32));
        self.classes += classes as usize;
    }
}

impl Places {
    /// A place of its own for every sum.
    pub(super) fn all(addends: Vec<Addend>) -> Places {
        Places { addends, drop: 0, counters: 0 }
    }

    /// Calls `visit` with the places of the entries and their rows, a block at a time and in order.
    pub(super) fn each(
        &self,
        words: &[u64],
        width: usize,
        rows: &[u32],
        mut visit: impl FnMut(&[u32], &[u32]),
    ) {
        let mut keys = [0u32; BLOCK];
        for (words, rows) in words.chunks(BLOCK * width).zip(rows.chunks(BLOCK)) {
            let keys = &mut keys[..rows.len()];
            self.of(words, width, keys);
            visit(keys, rows);
        }
    }

    /// The place of every entry of a block, as a key.
    pub(super) fn of_block(&self, words: &[u64], width: usize, keys: &mut [u64]) {
        let mut places = [0u32; BLOCK];
        let places = &mut places[..keys.len()];
        self.of(words, width, places);
        keys.iter_mut().zip(places).for_each(|(key, place)| *key = u64::from(*place));
    }

    /// The counter of every entry.
    fn of(&self, words: &[u64], width: usize, keys: &mut [u32]) {
        if let Some(slots) = self.slots(width) {
            match slots.len() {
                0 => keys.fill(0),
                1 => of_slots::<1>(&slots, words, keys),
                2 => of_slots::<2>(&slots, words, keys),
                3 => of_slots::<3>(&slots, words, keys),
                4 => of_slots::<4>(&slots, words, keys),
                _ => of_slots::<SLOTS>(&slots, words, keys),
            }
        } else {
            self.of_any(words, width, keys);
        }
        if self.drop > 0 {
            keys.iter_mut().for_each(|key| *key >>= self.drop);
        }
    }

    /// The tables by slot of the only word, up to the last one that adds anything, where all chunks are in slots.
    fn slots(&self, width: usize) -> Option<Vec<&[u32; TABLE]>> {
        let mut slots: Vec<&[u32; TABLE]> = Vec::new();
        for addend in &self.addends {
            if width != 1 || !addend.shift.is_multiple_of(CHUNK_BITS) {
                return None;
            }
            let table = <&[u32; TABLE]>::try_from(&addend.table[..]).ok()?;
            let slot = (addend.shift / CHUNK_BITS) as usize;
            if slots.len() <= slot {
                slots.resize(slot + 1, &NOTHING);
            }
            slots[slot] = table;
        }
        Some(slots)
    }

    /// The same wherever the chunks are.
    fn of_any(&self, words: &[u64], width: usize, keys: &mut [u32]) {
        keys.fill(0);
        // Four at a time, so that a key is written once for them.
        for addends in self.addends.chunks(4) {
            match addends {
                [a] => add(words, width, [a], keys),
                [a, b] => add(words, width, [a, b], keys),
                [a, b, c] => add(words, width, [a, b, c], keys),
                [a, b, c, d] => add(words, width, [a, b, c, d], keys),
                _ => {}
            }
        }
    }
}

/// A slot that adds nothing.
static NOTHING: [u32; TABLE] = [0; TABLE];

fn of_slots<const N: usize>(slots: &[&[u32; TABLE]], words: &[u64], keys: &mut [u32]) {
    let slots: [&[u32; TABLE]; N] = std::array::from_fn(|slot| slots.get(slot).copied().unwrap_or(&NOTHING));
    for (key, &word) in keys.iter_mut().zip(words) {
        let mut sum = 0u32;
        for (slot, table) in slots.iter().enumerate() {
            sum = sum.wrapping_add(table[(word >> (slot as u32 * CHUNK_BITS)) as usize % TABLE]);
        }
        *key = sum;
    }
}

fn add<const N: usize>(words: &[u64], width: usize, addends: [&Addend; N], keys: &mut [u32]) {
    if width == 1 {
        for (key, &word) in keys.iter_mut().zip(words) {
            *key = addends.iter().fold(*key, |sum, addend| sum.wrapping_add(addend.of(word)));
        }
    } else {
        for (key, words) in keys.iter_mut().zip(words.chunks_exact(width)) {
            *key = addends.iter().fold(*key, |sum, addend| sum.wrapping_add(addend.of(words[addend.word])));
        }
    }
}

/// A number that looks drawn at random for each combination of each chunk (the finalizer of SplitMix64).
fn scattered(chunk: u32, combination: u32) -> u32 {
    let mut number = (u64::from(chunk) << 32 | u64::from(combination)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (number >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::super::{Grouper, UseTally};
    use crate::testing::small_table;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_tallied_is_what_the_classes_say(
            fixture in small_table(), picks in prop::collection::vec((any::<u64>(), any::<u64>()), 6), least in 2u8..9,
        ) {
            let lattice = fixture.lattice();
            let nodes = lattice.enumerable(u64::MAX).unwrap();
            let grouper = Grouper::new(&fixture.table, &fixture.ladders, 1 << 20);
            let mut counters = Vec::new();
            for (pick, source) in picks {
                let node = lattice.node(pick % nodes);
                let from = grouper.group(&lattice.node(source % nodes)).filter(|from| node.generalizes(from.node()));
                let from = from.or_else(|| grouper.source_for(&node)).unwrap();
                let classes = grouper.group(&node).unwrap();
                let below = classes.rows_below(u64::from(least));
                let entries = grouper.entries(&from, &node);
                let own = entries.tally(&from.rows, least, &mut counters);
                prop_assert_eq!((own.rows_below, own.exact), (below, true));
                let shared = entries.tally_at(&entries.shared_places(8), &from.rows, least, &mut counters);
                prop_assert!(shared.rows_below <= below && !shared.exact);
                // Whatever it is counted from, the same classes share a counter.
                let base = grouper.source_for(&lattice.bottom()).unwrap();
                let entries = grouper.entries(&base, &node);
                let mut keys = [[0u32; 64]; 2];
                let (words, count) = (&base.words[..], base.len().min(64));
                let places = entries.shared_places(8);
                places.of(&words[..count * base.layout.words], base.layout.words, &mut keys[0][..count]);
                places.of_any(&words[..count * base.layout.words], base.layout.words, &mut keys[1][..count]);
                keys[1].iter_mut().for_each(|key| *key >>= places.drop);
                prop_assert_eq!(keys[0], keys[1]);
                let again = entries.tally_at(&entries.shared_places(8), &base.rows, least, &mut counters);
                prop_assert_eq!(shared.rows_below, again.rows_below);
                prop_assert!(counters.iter().all(|&counter| counter == 0));
                let sized = grouper.tally(&from, &node, least, UseTally::WhereItSaves);
                prop_assert!(sized.is_none_or(|sized| sized.rows_below == below));
                prop_assert_eq!(grouper.tally(&from, &node, least, UseTally::Always).map(|sized| sized.rows_below), Some(below));
            }
        }
    }
}
