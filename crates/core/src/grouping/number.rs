//! Which entries fall together? The chunks of an entry, lifted, become one mixed-radix key; keys become dense class numbers.

use super::layout::Chunk;
use super::lift::Lift;
use super::slots::Slots;
use super::tally::Places;
use std::sync::Arc;

/// Tuples or classes as words, and how each chunk of them is lifted.
pub(super) struct Entries<'a> {
    pub(super) words: &'a [u64],
    /// Words per entry.
    pub(super) width: usize,
    /// Tuples of the table: they say what is too much for an array, so that it is the same whatever the classes are found from.
    pub(super) tuples: usize,
    pub(super) lifts: Vec<(&'a Chunk, Arc<Lift>)>,
}

/// Keys below this are always numbered by an array: 1 MiB of numbers, the size of a second-level cache. Not tuned.
const ARRAY_AT_LEAST: u64 = 1 << 18;
/// Beyond that, the limit is this multiple of the number of entries. Measure a change with 5-anonymity (`k-anonymity`
/// workload of `docs/guide/bench.md`).
const ARRAY_FACTOR: u64 = 16;
/// Entries numbered at a time: their keys stay in the first-level cache. Not tuned.
const BLOCK: usize = 1024;
/// So many entries are worth tables made for them. From tables whose tuples are mostly known from the population only:
/// δ-presence (`criteria` workload of `docs/guide/bench.md`).
const MANY: usize = 1 << 12;

fn fits_an_array(radix: u64, entries: usize) -> bool {
    radix <= ARRAY_AT_LEAST.max(ARRAY_FACTOR * entries as u64)
}

/// Memory that outlives a numbering.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By key: the class's number, or `NONE`. Only the keys that occurred are reset after use.
    numbers: Vec<u32>,
    slots: Slots,
    /// The key of each class.
    keys: Vec<u64>,
    /// For [tallies](super::tally); all 0.
    pub(super) counters: Vec<u8>,
}

/// No class has this number.
pub(super) const NONE: u32 = u32::MAX;

/// The first entry of each class; classes are numbered by first appearance.
pub(super) type First = Vec<u32>;

impl Entries<'_> {
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Numbers the classes; `members` hears the classes of the entries, a block at a time and in order, each with the number of its
    /// first entry and how many classes there are so far.
    pub(super) fn number(&self, scratch: &mut Scratch, members: impl FnMut(usize, &[u32], usize)) -> First {
        let (mut classes, mut before): (u64, Option<Vec<u32>>) = (1, None);
        let mut rest = &self.lifts[..];
        let places = self.places_of_many();
        loop {
            // As many chunks as fit into one key; where the product does not fit, the combinations so far are numbered first.
            let mut radix = classes;
            let fitting = rest
                .iter()
                .take_while(|(_, lift)| {
                    let product = radix.checked_mul(lift.radix);
                    radix = product.unwrap_or(radix);
                    product.is_some()
                })
                .count();
            let (now, later) = rest.split_at(fitting);
            let keys = |start: usize, keys: &mut [u64]| {
                self.keys(now, places.as_ref(), before.as_deref(), start, keys)
            };
            let by = By::of(radix, self.len());
            if later.is_empty() {
                let first = scratch.number(by, self.len(), keys, members);
                scratch.forget(by);
                return first;
            }
            let mut numbers = Vec::with_capacity(self.len());
            let first = scratch.number(by, self.len(), keys, |_, block, _| numbers.extend_from_slice(block));
            scratch.forget(by);
            classes = first.len() as u64;
            before = Some(numbers);
            rest = later;
        }
    }

    /// Numbers the classes of these entries, and finds those of `others` among them, [`NONE`] where there is none. `members` hears the classes of both, a block at
    /// a time, each with whether they are of these entries, the number of the first entry and how many classes there are so far. None where the
    /// combinations are too many for one key.
    pub(super) fn number_and_find(
        &self,
        scratch: &mut Scratch,
        others: &Entries<'_>,
        mut members: impl FnMut(bool, usize, &[u32], usize),
    ) -> Option<First> {
        let by = By::of(self.combinations()?, self.len());
        let places = others.places_of_many();
        let own = |start: usize, keys: &mut [u64]| self.keys(&self.lifts, places.as_ref(), None, start, keys);
        let first =
            scratch.number(by, self.len(), own, |start, block, classes| members(true, start, block, classes));
        let theirs =
            |start: usize, keys: &mut [u64]| others.keys(&others.lifts, places.as_ref(), None, start, keys);
        scratch.find(by, others.len(), theirs, |start, block| members(false, start, block, first.len()));
        scratch.forget(by);
        Some(first)
    }

    /// How many combinations all chunks have together, if that is a number.
    fn combinations(&self) -> Option<u64> {
        self.lifts.iter().try_fold(1u64, |radix, (_, lift)| radix.checked_mul(lift.radix))
    }

    /// The same, if an array can have a place for each.
    pub(super) fn array(&self) -> Option<u64> {
        self.combinations().filter(|&radix| fits_an_array(radix, self.tuples) && u32::try_from(radix).is_ok())
    }

    /// Keeps the chunks with the most combinations, as many as can be numbered by an array.
    pub(super) fn keep_what_fits_an_array(&mut self) {
        let (mut radix, entries) = (1u64, self.tuples);
        self.lifts.sort_by_key(|(chunk, lift)| (std::cmp::Reverse(lift.radix), chunk.word, chunk.shift));
        self.lifts.retain(|(_, lift)| {
            let product = radix.checked_mul(lift.radix).filter(|&product| fits_an_array(product, entries));
            radix = product.unwrap_or(radix);
            product.is_some()
        });
    }

    /// The words of these entries, lifted.
    pub(super) fn lifted(&self, entries: &[u32]) -> Vec<u64> {
        let mut lifted = vec![0u64; entries.len() * self.width];
        for (chunk, lift) in &self.lifts {
            let above = lifted.iter_mut().skip(chunk.word).step_by(self.width);
            for (above, &entry) in above.zip(entries) {
                let word = self.words[entry as usize * self.width + chunk.word];
                let combination = lift.combination[((word >> chunk.shift) & chunk.mask()) as usize];
                *above |= u64::from(lift.bits[combination as usize]) << chunk.shift;
            }
        }
        lifted
    }

    /// The place of each combination, if there are enough entries for tables of places to pay off.
    fn places_of_many(&self) -> Option<Places> {
        let combinations = self.combinations().filter(|&combinations| u32::try_from(combinations).is_ok());
        combinations.filter(|_| self.len() >= MANY).map(|combinations| self.own_places(combinations))
    }

    /// The keys of the entries from `start` on: the combinations of the chunks as digits, the first one in the lowest place.
    fn keys(
        &self,
        lifts: &[(&Chunk, Arc<Lift>)],
        places: Option<&Places>,
        before: Option<&[u32]>,
        start: usize,
        keys: &mut [u64],
    ) {
        let words = &self.words[start * self.width..][..keys.len() * self.width];
        if let Some(places) = places {
            places.of_block(words, self.width, keys);
            return;
        }
        let mut weight: u64 = 1;
        let mut digits: Vec<Digit<'_>> = Vec::with_capacity(lifts.len());
        for (chunk, lift) in lifts {
            let (word, shift, mask) = (chunk.word, chunk.shift, chunk.mask());
            digits.push(Digit { word, shift, mask, weight, table: &lift.combination });
            weight = weight.wrapping_mul(lift.radix);
        }
        match before {
            Some(numbers) => {
                let numbers = keys.iter_mut().zip(&numbers[start..]);
                numbers.for_each(|(key, &number)| *key = u64::from(number) * weight);
            }
            None => keys.fill(0),
        }
        // Four digits at a time: their tables share the first cache, and the key is read and written once.
        for digits in digits.chunks(4) {
            match digits {
                [a] => add_digits(words, self.width, [a], keys),
                [a, b] => add_digits(words, self.width, [a, b], keys),
                [a, b, c] => add_digits(words, self.width, [a, b, c], keys),
                [a, b, c, d] => add_digits(words, self.width, [a, b, c, d], keys),
                _ => {}
            }
        }
    }
}

/// A chunk as a digit of the key.
struct Digit<'a> {
    word: usize,
    shift: u32,
    mask: u64,
    weight: u64,
    table: &'a [u32],
}

impl Digit<'_> {
    fn of(&self, word: u64) -> u64 {
        self.weight * u64::from(self.table[((word >> self.shift) & self.mask) as usize])
    }
}

fn add_digits<const N: usize>(words: &[u64], width: usize, digits: [&Digit<'_>; N], keys: &mut [u64]) {
    if width == 1 {
        for (key, &word) in keys.iter_mut().zip(words) {
            *key += digits.iter().map(|digit| digit.of(word)).sum::<u64>();
        }
    } else {
        for (key, words) in keys.iter_mut().zip(words.chunks_exact(width)) {
            *key += digits.iter().map(|digit| digit.of(words[digit.word])).sum::<u64>();
        }
    }
}

/// How keys are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// By an array with a place for each key.
    Array(usize),
    Hash,
}

impl By {
    fn of(radix: u64, entries: usize) -> By {
        if fits_an_array(radix, entries) { By::Array(radix as usize) } else { By::Hash }
    }
}

impl Scratch {
    /// Numbers keys by first appearance; they are known until they are [forgotten](Scratch::forget).
    fn number(
        &mut self,
        by: By,
        entries: usize,
        fill: impl FnMut(usize, &mut [u64]),
        mut members: impl FnMut(usize, &[u32], usize),
    ) -> First {
        let mut first = First::new();
        match by {
            By::Array(radix) => {
                if self.numbers.len() < radix {
                    self.numbers.resize(radix, NONE);
                }
                let (numbers, keys) = (&mut self.numbers[..radix], &mut self.keys);
                in_blocks(entries, fill, |start, block, classes| {
                    for (offset, (&key, class)) in block.iter().zip(&mut *classes).enumerate() {
                        let number = &mut numbers[key as usize];
                        if *number == NONE {
                            *number = first.len() as u32;
                            first.push((start + offset) as u32);
                            keys.push(key);
                        }
                        *class = *number;
                    }
                    members(start, classes, first.len());
                });
            }
            By::Hash => {
                let slots = &mut self.slots;
                in_blocks(entries, fill, |start, block, classes| {
                    for (offset, (&key, class)) in block.iter().zip(&mut *classes).enumerate() {
                        *class = slots.number(key, || first.push((start + offset) as u32));
                    }
                    members(start, classes, first.len());
                });
            }
        }
        first
    }

    /// The numbers that keys were given, [`NONE`] for those that have none.
    fn find(
        &self,
        by: By,
        entries: usize,
        fill: impl FnMut(usize, &mut [u64]),
        mut members: impl FnMut(usize, &[u32]),
    ) {
        in_blocks(entries, fill, |start, block, classes| {
            let places = block.iter().zip(&mut *classes);
            match by {
                By::Array(_) => places.for_each(|(&key, class)| *class = self.numbers[key as usize]),
                By::Hash => places.for_each(|(&key, class)| *class = self.slots.find(key)),
            }
            members(start, classes);
        });
    }

    fn forget(&mut self, by: By) {
        match by {
            By::Array(_) => self.keys.drain(..).for_each(|key| self.numbers[key as usize] = NONE),
            By::Hash => self.slots.clear(),
        }
    }
}

/// Fills blocks with keys and passes them on, each with as many places for numbers.
fn in_blocks(
    entries: usize,
    mut fill: impl FnMut(usize, &mut [u64]),
    mut number: impl FnMut(usize, &[u64], &mut [u32]),
) {
    let (mut keys, mut classes) = ([0u64; BLOCK], [0u32; BLOCK]);
    for start in (0..entries).step_by(BLOCK) {
        let length = BLOCK.min(entries - start);
        fill(start, &mut keys[..length]);
        number(start, &keys[..length], &mut classes[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(keys: &[u64], by_array: bool) -> (Vec<u32>, First) {
        let mut scratch = Scratch::default();
        let mut classes: Vec<u32> = Vec::new();
        let fill = |start: usize, block: &mut [u64]| block.copy_from_slice(&keys[start..start + block.len()]);
        let members = |start: usize, block: &[u32], known: usize| {
            assert_eq!(start, classes.len());
            classes.extend(block);
            assert!(classes.iter().all(|&class| (class as usize) < known));
        };
        let by = if by_array { By::Array(50) } else { By::Hash };
        let first = scratch.number(by, keys.len(), fill, members);
        let mut found = Vec::new();
        let all =
            |start: usize, block: &mut [u64]| (start as u64..).zip(block).for_each(|(key, at)| *at = key);
        scratch.find(by, 50, all, |_, block| found.extend_from_slice(block));
        for (key, number) in (0u64..).zip(found) {
            let place = keys.iter().position(|&other| other == key);
            assert_eq!(number, place.map_or(NONE, |place| classes[place]));
        }
        scratch.forget(by);
        assert!(scratch.numbers.iter().all(|&number| number == NONE) && scratch.keys.is_empty());
        (classes, first)
    }

    proptest! {
        #[test]
        fn array_and_hash_number_alike(keys in prop::collection::vec(0u64..50, 0..3000)) {
            prop_assert_eq!(numbered(&keys, true), numbered(&keys, false));
        }
    }
}
