//! Distinct rows of codes in their order, with their counts: a few words each, whatever the width.

use super::{Packing, Tuples};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// A bag of code tuples that is complete: each distinct tuple once, sorted by codes, with the number of times it was counted.
#[derive(Debug, Clone)]
pub struct PackedTuples {
    packing: Packing,
    words: Vec<u64>,
    counts: Vec<u64>,
    /// Made on first use: most tables are never looked up again.
    index: OnceLock<HashTable<u32>>,
}

impl PackedTuples {
    /// From distinct tuples in their order, each with the number of words of the packing.
    pub(super) fn of_sorted<const N: usize>(packing: Packing, sorted: &[([u64; N], u64)]) -> PackedTuples {
        debug_assert!(packing.words() == N && sorted.is_sorted_by(|a, b| a.0 < b.0));
        let words = sorted.iter().flat_map(|(words, _)| words).copied().collect();
        let counts = sorted.iter().map(|&(_, count)| count).collect();
        PackedTuples { packing, words, counts, index: OnceLock::new() }
    }

    /// The same where the number of words is any, and so is the order.
    pub(super) fn of_unsorted(packing: Packing, words: &[u64], counts: &[u64]) -> PackedTuples {
        let at = |number: &u32| &words[*number as usize * packing.words()..][..packing.words()];
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_unstable_by(|a, b| at(a).cmp(at(b)));
        let sorted = order.iter().flat_map(at).copied().collect();
        let counts = order.iter().map(|&number| counts[number as usize]).collect();
        PackedTuples { words: sorted, packing, counts, index: OnceLock::new() }
    }

    /// From numbered tuples with their codes replaced: `new_codes[column][old] = new`, one to one. Also the new number of every old one.
    pub(crate) fn of_numbered(
        packing: Packing,
        tuples: &Tuples,
        new_codes: &[Vec<u32>],
    ) -> (PackedTuples, Vec<u32>) {
        let recoded =
            |number: u32| tuples.tuple(number).iter().zip(new_codes).map(|(&code, new)| new[code as usize]);
        let order = match packing.words() {
            1 => sorted_words::<1, _>(&packing, tuples.len(), recoded),
            2 => sorted_words::<2, _>(&packing, tuples.len(), recoded),
            _ => {
                let mut words = vec![0u64; tuples.len() * packing.words()];
                for (number, words) in (0u32..).zip(words.chunks_exact_mut(packing.words().max(1))) {
                    packing.pack(recoded(number), words);
                }
                let at = |number: &u32| &words[*number as usize * packing.words()..][..packing.words()];
                let mut order: Vec<u32> = (0..tuples.len() as u32).collect();
                order.par_sort_unstable_by(|a, b| at(a).cmp(at(b)));
                order
            }
        };
        let mut sorted = vec![0u64; tuples.len() * packing.words()];
        let mut new_number = vec![0u32; tuples.len()];
        for ((new, &old), words) in (0u32..).zip(&order).zip(sorted.chunks_exact_mut(packing.words().max(1)))
        {
            packing.pack(recoded(old), words);
            new_number[old as usize] = new;
        }
        let counts = order.iter().map(|&old| tuples.count(old)).collect();
        (PackedTuples { packing, words: sorted, counts, index: OnceLock::new() }, new_number)
    }

    /// Number of distinct tuples.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Codes per tuple.
    pub fn width(&self) -> usize {
        self.packing.width()
    }

    /// How often a tuple was counted.
    pub fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// One code of a tuple.
    pub fn code(&self, number: u32, column: usize) -> u32 {
        self.packing.code(self.words_of(number), column)
    }

    /// Writes the codes of a tuple into as many places.
    pub fn unpack(&self, number: u32, codes: &mut [u32]) {
        self.packing.unpack(self.words_of(number), codes);
    }

    /// Calls `visit` with number, codes and count of every tuple, in order, until it fails.
    pub fn each<E>(&self, mut visit: impl FnMut(u32, &[u32], u64) -> Result<(), E>) -> Result<(), E> {
        let mut codes = vec![0u32; self.width()];
        (0u32..).zip(&self.counts).try_for_each(|(number, &count)| {
            self.unpack(number, &mut codes);
            visit(number, &codes, count)
        })
    }

    /// The number of a tuple, if it was counted. Its codes must be among those that the packing is for.
    pub fn find(&self, tuple: &[u32]) -> Option<u32> {
        let mut words = vec![0u64; self.packing.words()];
        self.packing.pack(tuple.iter().copied(), &mut words);
        let index = self.index.get_or_init(|| self.indexed());
        index.find(hash(&words), |&number| self.words_of(number) == words).copied()
    }

    fn indexed(&self) -> HashTable<u32> {
        let mut index = HashTable::with_capacity(self.len());
        for number in 0..self.len() as u32 {
            let of = |number: u32| hash(self.words_of(number));
            index.insert_unique(of(number), number, |&number| of(number));
        }
        index
    }

    fn words_of(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.packing.words()..][..self.packing.words()]
    }
}

/// The numbers of tuples in the order of their codes; `words` is the length of a tuple.
fn sorted_words<const N: usize, C: Iterator<Item = u32>>(
    packing: &Packing,
    tuples: usize,
    codes: impl Fn(u32) -> C,
) -> Vec<u32> {
    let mut sorted: Vec<([u64; N], u32)> = (0..tuples as u32)
        .map(|number| {
            let mut words = [0u64; N];
            packing.pack(codes(number), &mut words);
            (words, number)
        })
        .collect();
    sorted.par_sort_unstable();
    sorted.into_iter().map(|(_, number)| number).collect()
}

fn hash(words: &[u64]) -> u64 {
    FixedState::default().hash_one(words)
}
