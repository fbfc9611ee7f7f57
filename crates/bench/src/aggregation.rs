//! The unit that carries over from machine to machine: one plain hash aggregation of the table.
//!
//! All rows and columns of the data set, whatever a case looks at, so that all its cases share the unit: the codes of every row are packed
//! into one number of 128 bits, and Rust's standard `HashMap` counts how often each occurs; one thread, one table that grows as it must. A
//! search that takes 30 of these takes about 30 of them on any machine.

use crate::dataset::DataSet;
use crate::stopwatch::Stopwatch;
use crate::timing::Timings;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Fewest runs.
const LEAST_RUNS: usize = 5;
/// Small tables are aggregated until this much time has gone.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// Most runs.
const MOST_RUNS: usize = 50;

/// How long one aggregation takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aggregation {
    /// The median, in time of the processor: it has one thread.
    pub(crate) median: Duration,
    /// Different tuples.
    pub(crate) tuples: usize,
}

impl Aggregation {
    /// The one that took less time.
    pub(crate) fn shorter(self, other: Aggregation) -> Aggregation {
        if other.median < self.median { other } else { self }
    }
}

/// Measures the aggregation of a table.
pub(crate) fn measure(dataset: &DataSet) -> Aggregation {
    let columns: Vec<(&[u32], u32)> = dataset
        .columns
        .iter()
        .map(|column| {
            let largest = column.coded.dictionary.len().saturating_sub(1);
            (&column.codes[..], usize::BITS - largest.leading_zeros())
        })
        .collect();
    let width: u32 = columns.iter().map(|(_, bits)| bits).sum();
    if width <= u128::BITS {
        let packed = |row: usize| {
            columns.iter().fold(0u128, |key, (codes, bits)| (key << bits) | u128::from(codes[row]))
        };
        repeat(dataset.rows, packed)
    } else {
        let codes = |row: usize| -> Box<[u32]> { columns.iter().map(|(codes, _)| codes[row]).collect() };
        repeat(dataset.rows, codes)
    }
}

fn repeat<K: Hash + Eq>(rows: usize, key: impl Fn(usize) -> K) -> Aggregation {
    let mut timings = Timings::default();
    let started = Instant::now();
    let mut tuples = aggregate(rows, &key);
    while timings.len() < LEAST_RUNS || (started.elapsed() < LEAST_TIME && timings.len() < MOST_RUNS) {
        let watch = Stopwatch::start();
        tuples = aggregate(rows, &key);
        timings.add(watch.lap().processor);
    }
    Aggregation { median: timings.median(), tuples }
}

/// The aggregation itself; the number of different tuples keeps it from being optimized away.
fn aggregate<K: Hash + Eq>(rows: usize, key: impl Fn(usize) -> K) -> usize {
    let mut counts: HashMap<K, u32> = HashMap::new();
    for row in 0..rows {
        *counts.entry(key(row)).or_insert(0) += 1;
    }
    std::hint::black_box(&counts).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn different_tuples_are_counted_whatever_the_key() {
        // 4 columns fit into 128 bits, 12 of a hundred thousand values into no number.
        for shape in ["rows=2000,qi=4,distinct=9", "rows=500,qi=12,distinct=100000"] {
            let set = DataSet::generate(&shape.parse().unwrap()).unwrap();
            let row = |row: usize| set.columns.iter().map(|column| column.codes[row]).collect::<Vec<_>>();
            let expected: BTreeSet<Vec<u32>> = (0..set.rows).map(row).collect();
            assert_eq!(measure(&set).tuples, expected.len());
        }
    }
}
