//! How often each sensitive value occurs under each tuple (or class), as compressed rows.

use std::ops::Range;

/// A histogram per entry, stored end to end: entry `e` owns the positions `starts[e]..starts[e + 1]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histograms {
    starts: Vec<usize>,
    values: Vec<u32>,
    counts: Vec<u32>,
}

impl Histograms {
    /// No entries yet.
    pub fn new() -> Histograms {
        Histograms { starts: vec![0], values: Vec::new(), counts: Vec::new() }
    }

    /// Appends the histogram of the next entry.
    pub fn push(&mut self, histogram: impl IntoIterator<Item = (u32, u32)>) {
        for (value, count) in histogram {
            self.values.push(value);
            self.counts.push(count);
        }
        self.starts.push(self.values.len());
    }

    /// All counts of all entries, added up.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of values over all entries.
    pub(crate) fn cells(&self) -> usize {
        self.values.len()
    }

    /// The values and counts of one entry.
    pub fn entry(&self, entry: usize) -> (&[u32], &[u32]) {
        let range = self.starts[entry]..self.starts[entry + 1];
        (&self.values[range.clone()], &self.counts[range])
    }

    /// The entries that have any values, each with the positions of its values and counts.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let ranges = self.starts.windows(2).map(|bounds| bounds[0]..bounds[1]);
        ranges.enumerate().filter(|(_, range)| !range.is_empty())
    }

    /// The value and the count at a position.
    pub(crate) fn cell(&self, position: usize) -> (u32, u32) {
        (self.values[position], self.counts[position])
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + (self.values.capacity() + self.counts.capacity()) * 4
    }
}

/// A sensitive column: its number of values, and a histogram for each tuple of the frequency table.
#[derive(Debug, Clone)]
pub struct SensitiveColumn {
    /// Number of different values in the whole table; codes run below it.
    pub cardinality: usize,
    /// One histogram per tuple, in the tuples' order.
    pub histograms: Histograms,
}

impl SensitiveColumn {
    /// How often each value occurs in the whole table.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0u64; self.cardinality];
        for (&value, &count) in self.histograms.values.iter().zip(&self.histograms.counts) {
            totals[value as usize] += u64::from(count);
        }
        totals
    }
}
