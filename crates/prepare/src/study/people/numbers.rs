//! People by the keyed hash of their identifiers.

use foldhash::SharedSeed;
use foldhash::quality::FoldHasher;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Numbers for people in the order in which they are first seen. No identifier is held in memory: 128 bits of a hash stand for it, under keys
/// that are drawn anew for every run and never leave it. Two people with one hash would be counted as one, which promises less than
/// there is, never more.
pub(super) struct PersonNumbers {
    secrets: [(u64, SharedSeed); 2],
    known: HashTable<(PersonHash, u32)>,
}

/// What is kept of an identifier.
pub(super) type PersonHash = [u64; 2];

/// The key of a person while it is put together.
pub(super) struct PersonKey<'a>([FoldHasher<'a>; 2]);

impl Default for PersonNumbers {
    fn default() -> PersonNumbers {
        // The standard library draws its keys from the operating system; hashes under them are as secret as they are.
        let drawn = RandomState::new();
        let secret = |number: u64| (drawn.hash_one(number), SharedSeed::from_u64(drawn.hash_one(!number)));
        PersonNumbers { secrets: [secret(1), secret(2)], known: HashTable::new() }
    }
}

impl PersonKey<'_> {
    /// One more part; its length keeps ("ab", "c") and ("a", "bc") apart.
    pub(super) fn add(&mut self, cell: &str) {
        for hasher in &mut self.0 {
            hasher.write(cell.as_bytes());
            hasher.write_usize(cell.len());
        }
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> PersonHash {
        self.0.each_ref().map(Hasher::finish)
    }
}

impl PersonNumbers {
    /// A key without parts.
    pub(super) fn start(&self) -> PersonKey<'_> {
        PersonKey(self.secrets.each_ref().map(|(seed, shared)| FoldHasher::with_seed(*seed, shared)))
    }

    /// How many people are known.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// The number of a person.
    pub(super) fn number(&mut self, hash: PersonHash) -> u32 {
        let next = self.known.len() as u32;
        let entry = self.known.entry(hash[0], |(known, _)| *known == hash, |(known, _)| known[0]);
        entry.or_insert((hash, next)).get().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(numbers: &mut PersonNumbers, cells: &[&str]) -> u32 {
        let mut key = numbers.start();
        cells.iter().for_each(|cell| key.add(cell));
        let hash = key.hash();
        numbers.number(hash)
    }

    #[test]
    fn a_composite_key_is_more_than_its_text() {
        let mut numbers = PersonNumbers::default();
        let first = number(&mut numbers, &["ab", "c"]);
        assert_ne!(first, number(&mut numbers, &["a", "bc"]));
        assert_ne!(first, number(&mut numbers, &["abc"]));
        assert_ne!(first, number(&mut numbers, &["ab", "c", ""]));
        assert_eq!(first, number(&mut numbers, &["ab", "c"]));
    }

    #[test]
    fn a_hundred_thousand_people_are_told_apart() {
        let mut numbers = PersonNumbers::default();
        for round in 0..2 {
            for person in 0..100_000u32 {
                assert_eq!(number(&mut numbers, &[&person.to_string()]), person, "round {round}");
            }
        }
    }

    #[test]
    fn no_two_runs_hash_alike() {
        let key = |numbers: &PersonNumbers| {
            let mut key = numbers.start();
            key.add("patient 17");
            key.hash()
        };
        assert_ne!(key(&PersonNumbers::default()), key(&PersonNumbers::default()));
    }
}
