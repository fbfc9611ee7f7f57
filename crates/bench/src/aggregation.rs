//! The unit that carries over from machine to machine: one plain hash aggregation of the table.
//!
//! All rows and columns of the data set, whatever a case looks at, so that all its cases share the unit: Rust's standard `HashMap` from the
//! row's codes, packed into one number, to how often they occur; one thread, one table that grows as it must. A search that takes
//! 30 of these takes about 30 of them on any machine.

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

/// Measures the aggregation of a table.
pub(crate) fn measure(dataset: &DataSet) -> Aggregation {
    let columns: &[usize] = &(0..dataset.columns.len()).collect::<Vec<_>>();
    let bits = |&column: &usize| {
        let largest = dataset.columns[column].coded.dictionary.len().saturating_sub(1);
        usize::BITS - largest.leading_zeros()
    };
    let width: u32 = columns.iter().map(bits).sum();
    if width <= 64 {
        repeat(&rows(dataset, columns, 0u64, |key, code, bits| (key << bits) | u64::from(code)))
    } else if width <= 128 {
        repeat(&rows(dataset, columns, 0u128, |key, code, bits| (key << bits) | u128::from(code)))
    } else {
        let codes = |row: usize| -> Box<[u32]> {
            columns.iter().map(|&column| dataset.columns[column].codes[row]).collect()
        };
        repeat(&(0..dataset.rows).map(codes).collect::<Vec<_>>())
    }
}

/// The packed codes of every row.
fn rows<K: Copy>(dataset: &DataSet, columns: &[usize], empty: K, pack: impl Fn(K, u32, u32) -> K) -> Vec<K> {
    let mut keys = vec![empty; dataset.rows];
    for &column in columns {
        let column = &dataset.columns[column];
        let bits = usize::BITS - column.coded.dictionary.len().saturating_sub(1).leading_zeros();
        for (key, &code) in keys.iter_mut().zip(&column.codes) {
            *key = pack(*key, code, bits);
        }
    }
    keys
}

fn repeat<K: Hash + Eq + Clone>(keys: &[K]) -> Aggregation {
    let mut timings = Timings::default();
    let started = Instant::now();
    let mut tuples = aggregate(keys);
    while timings.len() < LEAST_RUNS || (started.elapsed() < LEAST_TIME && timings.len() < MOST_RUNS) {
        let watch = Stopwatch::start();
        tuples = aggregate(keys);
        timings.add(watch.lap().processor);
    }
    Aggregation { median: timings.median(), tuples }
}

/// The aggregation itself; the number of different tuples keeps it from being optimized away.
fn aggregate<K: Hash + Eq + Clone>(keys: &[K]) -> usize {
    let mut counts: HashMap<K, u32> = HashMap::new();
    for key in keys {
        *counts.entry(key.clone()).or_insert(0) += 1;
    }
    std::hint::black_box(&counts).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn different_tuples_are_counted_whatever_the_key() {
        // 4 columns fit into 64 bits, 12 of a million values into no number.
        for shape in ["rows=2000,qi=4,distinct=9", "rows=500,qi=12,distinct=100000"] {
            let set = DataSet::generate(&shape.parse().unwrap()).unwrap();
            let row = |row: usize| set.columns.iter().map(|column| column.codes[row]).collect::<Vec<_>>();
            let expected: BTreeSet<Vec<u32>> = (0..set.rows).map(row).collect();
            assert_eq!(measure(&set).tuples, expected.len());
        }
    }
}
