//! Distinct rows of codes with their counts.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// A bag of code tuples of one width: each distinct one once, with the number of times it was added.
#[derive(Debug, Clone, Default)]
pub struct Tuples {
    width: usize,
    codes: Vec<u32>,
    counts: Vec<u64>,
    index: HashTable<u32>,
    /// The index after a recoding, made on first use: most tables are never looked up again.
    recoded_index: OnceLock<HashTable<u32>>,
    is_recoded: bool,
}

impl Tuples {
    /// An empty bag of tuples with `width` codes each.
    pub fn new(width: usize) -> Tuples {
        Tuples { width, ..Tuples::default() }
    }

    /// Adds a tuple `count` times; its number.
    pub fn add(&mut self, tuple: &[u32], count: u64) -> u32 {
        debug_assert_eq!(tuple.len(), self.width);
        debug_assert!(!self.is_recoded, "tuples are counted before they are recoded");
        let hash = hash(tuple);
        let (codes, width) = (&self.codes, self.width);
        if let Some(&number) = self.index.find(hash, |&number| at(codes, width, number) == tuple) {
            self.counts[number as usize] += count;
            return number;
        }
        let number = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        self.codes.extend_from_slice(tuple);
        self.counts.push(count);
        let codes = &self.codes;
        self.index.insert_unique(hash, number, |&number| self::hash(at(codes, width, number)));
        number
    }

    /// The number of a tuple that was added before.
    pub fn find(&self, tuple: &[u32]) -> Option<u32> {
        let index =
            if self.is_recoded { self.recoded_index.get_or_init(|| self.reindexed()) } else { &self.index };
        index.find(hash(tuple), |&number| at(&self.codes, self.width, number) == tuple).copied()
    }

    /// The codes of a tuple.
    pub fn tuple(&self, number: u32) -> &[u32] {
        at(&self.codes, self.width, number)
    }

    /// How often a tuple was added.
    pub fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// Number of distinct tuples.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Memory that the tuples need, about; what grows has up to twice of it.
    pub fn bytes(&self) -> usize {
        const INDEXED: usize = 8;
        self.codes.len() * size_of::<u32>() + self.counts.len() * (size_of::<u64>() + INDEXED)
    }

    /// Forgets all tuples, but keeps the memory for others.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.counts.clear();
        self.index.clear();
    }

    /// Numbers of the tuples in the order of their codes.
    pub fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.len() as u32).collect();
        numbers.sort_unstable_by(|&a, &b| self.tuple(a).cmp(self.tuple(b)));
        numbers
    }

    /// Replaces the codes of each column: `new_codes[column][old] = new`. The maps must be one to one.
    pub fn recode(&mut self, new_codes: &[Vec<u32>]) {
        for tuple in self.codes.chunks_exact_mut(self.width.max(1)) {
            for (code, new) in tuple.iter_mut().zip(new_codes) {
                *code = new[*code as usize];
            }
        }
        self.index = HashTable::new();
        self.recoded_index = OnceLock::new();
        self.is_recoded = true;
    }

    fn reindexed(&self) -> HashTable<u32> {
        let mut index = HashTable::with_capacity(self.len());
        for number in 0..self.len() as u32 {
            let hash = hash(self.tuple(number));
            index.insert_unique(hash, number, |&number| self::hash(self.tuple(number)));
        }
        index
    }
}

fn at(codes: &[u32], width: usize, number: u32) -> &[u32] {
    let start = number as usize * width;
    &codes[start..start + width]
}

fn hash(tuple: &[u32]) -> u64 {
    FixedState::default().hash_one(tuple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tuples_are_counted_together() {
        let mut tuples = Tuples::new(2);
        assert_eq!([[1, 2], [0, 5], [1, 2]].map(|tuple| tuples.add(&tuple, 1)), [0, 1, 0]);
        assert_eq!((tuples.count(0), tuples.len()), (2, 2));
        assert_eq!(tuples.sorted(), [1, 0]);
        tuples.recode(&[vec![7, 3], vec![0, 0, 9, 0, 0, 1]]);
        assert_eq!(
            (tuples.find(&[3, 9]), tuples.find(&[7, 1]), tuples.find(&[1, 2])),
            (Some(0), Some(1), None)
        );
    }

    #[test]
    fn tuples_without_columns_are_one_tuple() {
        let mut tuples = Tuples::new(0);
        assert_eq!((tuples.add(&[], 1), tuples.add(&[], 1), tuples.len()), (0, 0, 1));
    }
}
