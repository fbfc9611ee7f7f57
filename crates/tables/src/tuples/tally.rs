//! Counting tuples while their codes are still being given out: a few words per tuple, whatever its width.

use super::Packing;
use super::{PackedTuples, Tuples};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// A bag of code tuples. Each column has as many bits as its codes so far need; one that outgrows them gets more, and what was counted
/// is laid out anew.
#[derive(Debug)]
pub struct Tally {
    bits: Vec<u32>,
    packing: Packing,
    counts: Counts,
    /// The keys of a block of rows, between two blocks.
    keys: Vec<u64>,
}

/// Counts by packed tuple.
#[derive(Debug)]
enum Counts {
    One(HashMap<u64, u64, FixedState>),
    Two(HashMap<[u64; 2], u64, FixedState>),
    /// Tuples that need more words.
    More(Tuples),
}

/// Bits of a column before it shows what it needs.
const FIRST_BITS: u32 = 4;

impl Tally {
    /// An empty bag of tuples with `width` codes each.
    pub fn new(width: usize) -> Tally {
        let bits = vec![FIRST_BITS; width];
        let packing = packing(&bits);
        Tally { counts: Counts::new(&packing), packing, bits, keys: Vec::new() }
    }

    /// Adds a tuple `count` times.
    pub fn add(&mut self, tuple: &[u32], count: u64) {
        debug_assert_eq!(tuple.len(), self.bits.len());
        self.make_room(|column| tuple[column]);
        let mut words = [0u64; 2];
        match &mut self.counts {
            Counts::One(counts) => {
                self.packing.pack(tuple.iter().copied(), &mut words);
                *counts.entry(words[0]).or_insert(0) += count;
            }
            Counts::Two(counts) => {
                self.packing.pack(tuple.iter().copied(), &mut words);
                *counts.entry(words).or_insert(0) += count;
            }
            Counts::More(tuples) => {
                tuples.add(tuple, count);
            }
        }
    }

    /// Adds rows once each: a column of codes for each but the last code, which is the same for all.
    pub fn add_rows(&mut self, columns: &[Vec<u32>], rows: usize, last: u32) {
        debug_assert_eq!(columns.len() + 1, self.bits.len());
        let largest = |column: usize| match columns.get(column) {
            Some(codes) => codes.iter().copied().max().unwrap_or(0),
            None => last,
        };
        self.make_room(largest);
        let words = self.packing.words();
        if let Counts::More(tuples) = &mut self.counts {
            let mut tuple = vec![last; columns.len() + 1];
            for row in 0..rows {
                tuple.iter_mut().zip(columns).for_each(|(code, column)| *code = column[row]);
                tuples.add(&tuple, 1);
            }
            return;
        }
        self.keys.clear();
        self.keys.resize(rows * words, 0);
        let mut first = vec![0u64; words];
        self.packing.place(columns.len(), last, &mut first);
        for (column, codes) in columns.iter().enumerate() {
            self.packing.place_all(column, codes, &mut self.keys);
        }
        match &mut self.counts {
            Counts::One(counts) => {
                for &key in &self.keys {
                    *counts.entry(key | first[0]).or_insert(0) += 1;
                }
            }
            Counts::Two(counts) => {
                for key in self.keys.chunks_exact(2) {
                    *counts.entry([key[0] | first[0], key[1] | first[1]]).or_insert(0) += 1;
                }
            }
            Counts::More(_) => {}
        }
    }

    /// Number of distinct tuples.
    pub fn len(&self) -> usize {
        match &self.counts {
            Counts::One(counts) => counts.len(),
            Counts::Two(counts) => counts.len(),
            Counts::More(tuples) => tuples.len(),
        }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory that the tuples need, about; what grows has up to twice of it.
    pub fn bytes(&self) -> usize {
        match &self.counts {
            Counts::One(counts) => counts.len() * 20,
            Counts::Two(counts) => counts.len() * 29,
            Counts::More(tuples) => tuples.bytes(),
        }
    }

    /// Forgets all tuples, but keeps the memory for others.
    pub fn clear(&mut self) {
        match &mut self.counts {
            Counts::One(counts) => counts.clear(),
            Counts::Two(counts) => counts.clear(),
            Counts::More(tuples) => tuples.clear(),
        }
    }

    /// Calls `visit` with every tuple and its count, in any order, until it fails.
    pub fn each<E>(&self, mut visit: impl FnMut(&[u32], u64) -> Result<(), E>) -> Result<(), E> {
        let mut codes = vec![0u32; self.bits.len()];
        let mut unpacked = |words: &[u64], count: u64| {
            self.packing.unpack(words, &mut codes);
            visit(&codes, count)
        };
        match &self.counts {
            Counts::One(counts) => counts.iter().try_for_each(|(&word, &count)| unpacked(&[word], count)),
            Counts::Two(counts) => counts.iter().try_for_each(|(words, &count)| unpacked(words, count)),
            Counts::More(tuples) => {
                (0..tuples.len() as u32).try_for_each(|n| visit(tuples.tuple(n), tuples.count(n)))
            }
        }
    }

    /// The tuples with new codes (`new_codes[column][old] = new`, one to one), sorted. `cardinalities` has the number of new codes of each
    /// column.
    pub fn into_sorted(self, new_codes: &[Vec<u32>], cardinalities: &[usize]) -> PackedTuples {
        let packing = Packing::new(cardinalities);
        match packing.words() {
            1 => self.into_sorted_words::<1>(new_codes, packing),
            2 => self.into_sorted_words::<2>(new_codes, packing),
            _ => {
                let (mut words, mut counts) = (Vec::new(), Vec::with_capacity(self.len()));
                self.each_recoded(new_codes, |codes, count| {
                    let start = words.len();
                    words.resize(start + packing.words(), 0);
                    packing.pack(codes.iter().copied(), &mut words[start..]);
                    counts.push(count);
                });
                drop(self);
                PackedTuples::of_unsorted(packing, &words, &counts)
            }
        }
    }

    /// The same where a tuple takes so many words.
    fn into_sorted_words<const N: usize>(self, new_codes: &[Vec<u32>], packing: Packing) -> PackedTuples {
        let mut sorted: Vec<([u64; N], u64)> = Vec::with_capacity(self.len());
        self.each_recoded(new_codes, |codes, count| {
            let mut words = [0u64; N];
            packing.pack(codes.iter().copied(), &mut words);
            sorted.push((words, count));
        });
        drop(self);
        sorted.par_sort_unstable();
        PackedTuples::of_sorted(packing, &sorted)
    }

    fn each_recoded(&self, new_codes: &[Vec<u32>], mut visit: impl FnMut(&[u32], u64)) {
        let mut recoded = vec![0u32; self.bits.len()];
        let visited = self.each(|codes, count| {
            let old = codes.iter().zip(new_codes);
            recoded.iter_mut().zip(old).for_each(|(code, (&old, new))| *code = new[old as usize]);
            visit(&recoded, count);
            Ok::<(), std::convert::Infallible>(())
        });
        match visited {
            Ok(()) => {}
        }
    }

    /// Widens the columns that codes up to these do not fit into.
    fn make_room(&mut self, largest: impl Fn(usize) -> u32) {
        let mut fits = true;
        for (column, bits) in self.bits.iter_mut().enumerate() {
            let needed = u32::BITS - largest(column).leading_zeros();
            if needed > *bits {
                // One more than is needed: the next codes are coming.
                (*bits, fits) = ((needed + 1).min(u32::BITS), false);
            }
        }
        if fits {
            return;
        }
        let packing = packing(&self.bits);
        let mut counts = Counts::new(&packing);
        let moved = self.each(|codes, count| {
            let mut words = [0u64; 2];
            match &mut counts {
                Counts::One(counts) => {
                    packing.pack(codes.iter().copied(), &mut words);
                    counts.insert(words[0], count);
                }
                Counts::Two(counts) => {
                    packing.pack(codes.iter().copied(), &mut words);
                    counts.insert(words, count);
                }
                Counts::More(tuples) => {
                    tuples.add(codes, count);
                }
            }
            Ok::<(), std::convert::Infallible>(())
        });
        match moved {
            Ok(()) => (self.packing, self.counts) = (packing, counts),
        }
    }
}

impl Counts {
    fn new(packing: &Packing) -> Counts {
        match packing.words() {
            1 => Counts::One(HashMap::default()),
            2 => Counts::Two(HashMap::default()),
            _ => Counts::More(Tuples::new(packing.width())),
        }
    }
}

fn packing(bits: &[u32]) -> Packing {
    let cardinalities: Vec<usize> = bits.iter().map(|&bits| 1usize << bits).collect();
    Packing::new(&cardinalities)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn a_tally_is_a_map_of_counts(
            (bits, rows) in prop::collection::vec(0u32..24, 1..9).prop_flat_map(|bits| {
                let row: Vec<_> = bits.iter().map(|&bits| 0u32..1 << bits).collect();
                (Just(bits), prop::collection::vec((row, 1u64..3), 1..80))
            }),
            by_column in any::<bool>(),
            last in 0u32..2,
        ) {
            let width = bits.len() + 1;
            let mut tally = Tally::new(width);
            let mut map: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            let mut columns: Vec<Vec<u32>> = vec![Vec::new(); bits.len()];
            for (row, count) in &rows {
                let mut tuple = row.clone();
                tuple.push(last);
                let count = if by_column { 1 } else { *count };
                *map.entry(tuple.clone()).or_default() += count;
                if by_column {
                    columns.iter_mut().zip(row).for_each(|(column, &code)| column.push(code));
                    if columns[0].len() == 7 {
                        tally.add_rows(&columns, 7, last);
                        columns.iter_mut().for_each(Vec::clear);
                    }
                } else {
                    tally.add(&tuple, count);
                }
            }
            tally.add_rows(&columns, columns[0].len(), last);
            prop_assert_eq!(tally.len(), map.len());
            // Codes the other way round.
            let most: Vec<u32> = (0..width).map(|at| map.keys().map(|key| key[at]).max().unwrap()).collect();
            let new_codes: Vec<Vec<u32>> = most.iter().map(|&most| (0..=most).rev().collect()).collect();
            let cardinalities: Vec<usize> = new_codes.iter().map(Vec::len).collect();
            let mut expected: Vec<(Vec<u32>, u64)> = map
                .into_iter()
                .map(|(key, count)| (key.iter().zip(&new_codes).map(|(&code, new)| new[code as usize]).collect(), count))
                .collect();
            expected.sort();
            let tuples = tally.into_sorted(&new_codes, &cardinalities);
            let mut found: Vec<(Vec<u32>, u64)> = Vec::new();
            let each = tuples.each(|number, codes, count| {
                assert!((0..width).all(|at| tuples.code(number, at) == codes[at]) && tuples.count(number) == count);
                found.push((codes.to_vec(), count));
                Ok::<(), ()>(())
            });
            prop_assert_eq!(each, Ok(()));
            prop_assert_eq!(&found, &expected);
            for (number, (tuple, _)) in found.iter().enumerate() {
                prop_assert_eq!(tuples.find(tuple), Some(number as u32));
            }
        }
    }
}
