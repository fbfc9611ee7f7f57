//! The sensitive values of classes, added up from those of their members.

use crate::table::Histograms;

/// Class by class: the sums of the members' histograms. `class_of` gives the class of every entry of `below`.
pub(super) fn merge(below: &Histograms, values: usize, class_of: &[u32], classes: usize) -> Histograms {
    if classes.saturating_mul(values) <= TABLE_AT_LEAST.max(TABLE_FACTOR * below.cells()) {
        by_table(below, values, class_of, classes)
    } else {
        by_members(below, values, class_of, classes)
    }
}

/// Sums are kept in one table of classes × values if it has at most this multiple of the cells to add. Measure a change with diversity
/// (`criteria` workload of `docs/guide/bench.md`).
const TABLE_FACTOR: usize = 4;
/// Or if it has at most this number of cells: 64 KiB, twice a first-level cache. Not tuned.
const TABLE_AT_LEAST: usize = 1 << 14;

fn by_table(below: &Histograms, values: usize, class_of: &[u32], classes: usize) -> Histograms {
    let mut sums = vec![0u32; classes * values];
    for (entry, positions) in below.filled() {
        let sums = &mut sums[class_of[entry] as usize * values..][..values];
        for (value, count) in positions.map(|position| below.cell(position)) {
            sums[value as usize] += count;
        }
    }
    let mut merged = Histograms::new();
    for sums in sums.chunks_exact(values.max(1)) {
        let shown = (0u32..).zip(sums).filter(|&(_, &count)| count > 0);
        merged.push(shown.map(|(value, &count)| (value, count)));
    }
    merged
}

fn by_members(below: &Histograms, values: usize, class_of: &[u32], classes: usize) -> Histograms {
    let members = Members::of(below, class_of, classes);
    let mut merged = Histograms::new();
    let mut sums = vec![0u32; values];
    let mut present: Vec<u32> = Vec::new();
    for range in members.starts.windows(2) {
        let entries = &members.entries[range[0] as usize..range[1] as usize];
        if let [only] = entries {
            let (values, counts) = below.entry(*only as usize);
            merged.push(values.iter().copied().zip(counts.iter().copied()));
            continue;
        }
        for &entry in entries {
            let (values, counts) = below.entry(entry as usize);
            for (&value, &count) in values.iter().zip(counts) {
                let sum = &mut sums[value as usize];
                if *sum == 0 {
                    present.push(value);
                }
                *sum += count;
            }
        }
        merged.push(present.drain(..).map(|value| (value, std::mem::take(&mut sums[value as usize]))));
    }
    merged
}

/// The entries of each class that have any values: class `c` owns `entries[starts[c]..starts[c + 1]]`.
struct Members {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Members {
    fn of(below: &Histograms, class_of: &[u32], classes: usize) -> Members {
        let mut starts = vec![0u32; classes + 1];
        for (entry, _) in below.filled() {
            starts[class_of[entry] as usize + 1] += 1;
        }
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![0u32; next[classes] as usize];
        for (entry, _) in below.filled() {
            let slot = &mut next[class_of[entry] as usize];
            entries[*slot as usize] = entry as u32;
            *slot += 1;
        }
        Members { starts, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_add_up_alike(
            entries in prop::collection::vec((prop::collection::btree_map(0u32..6, 1u32..9, 0..5), 0u32..4), 1..30),
        ) {
            let mut below = Histograms::new();
            entries.iter().for_each(|(histogram, _)| below.push(histogram.clone()));
            let class_of: Vec<u32> = entries.iter().map(|&(_, class)| class).collect();
            let (table, members) = (by_table(&below, 6, &class_of, 4), by_members(&below, 6, &class_of, 4));
            for class in 0..4 {
                let sorted = |histograms: &Histograms| {
                    let (values, counts) = histograms.entry(class);
                    let mut cells: Vec<(u32, u32)> = values.iter().copied().zip(counts.iter().copied()).collect();
                    cells.sort_unstable();
                    cells
                };
                prop_assert_eq!(sorted(&table), sorted(&members));
            }
        }
    }
}
