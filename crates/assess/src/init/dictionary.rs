//! The different values of a column and how often each occurs.

use std::fmt;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Bytes a value takes besides its text, more or less.
const OVERHEAD: usize = 32;

/// Different values in order of appearance; a value's position is its code.
#[derive(Default)]
pub(super) struct Dictionary {
    text: String,
    ends: Vec<usize>,
    counts: Vec<u64>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Dictionary {
    /// Counts a value and gives its code.
    pub(super) fn count(&mut self, value: &str) -> u32 {
        let hash = self.hasher.hash_one(value);
        let (text, ends) = (&self.text, &self.ends);
        if let Some(&code) = self.index.find(hash, |&code| at(text, ends, code) == value) {
            self.counts[code as usize] += 1;
            return code;
        }
        let code = self.ends.len() as u32;
        self.text.push_str(value);
        self.ends.push(self.text.len());
        self.counts.push(1);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.index.insert_unique(hash, code, |&code| hasher.hash_one(at(text, ends, code)));
        code
    }

    /// The code of a value that was counted.
    pub(super) fn code(&self, value: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        self.index.find(hash, |&code| at(&self.text, &self.ends, code) == value).copied()
    }

    /// Number of different values.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Memory taken, more or less.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.len() * OVERHEAD
    }

    /// Values with their counts, in order of appearance.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        let mut start = 0;
        self.ends.iter().zip(&self.counts).map(move |(&end, &count)| {
            let value = &self.text[start..end];
            start = end;
            (value, count)
        })
    }
}

fn at<'a>(text: &'a str, ends: &[usize], code: u32) -> &'a str {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &text[start..ends[code]]
}

/// Cells never reach a log: only the size is shown.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} values)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_value_once() {
        let mut dictionary = Dictionary::default();
        let codes = ["b", "a", "", "b", "ä", ""].map(|value| dictionary.count(value));
        assert_eq!(codes, [0, 1, 2, 0, 3, 2]);
        assert_eq!(dictionary.iter().collect::<Vec<_>>(), [("b", 2), ("a", 1), ("", 2), ("ä", 1)]);
        assert_eq!((dictionary.code("ä"), dictionary.code("c")), (Some(3), None));
        assert_eq!(format!("{dictionary:?}"), "Dictionary(4 values)");
    }
}
