//! Sorted runs become one.

use super::{Budget, Packing, Reader, SortedTuples, SpillError, SpillFile, Writer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A sorted stretch of a file, in numbers of 64 bits.
pub(super) type Run = std::ops::Range<u64>;

/// Most runs merged at a time: more would have buffers of hardly a record.
const MOST_RUNS: usize = 128;
/// Fewest bytes of a buffer.
const LEAST_BUFFER: usize = 1 << 12;

/// Merges runs of packed tuples with counts; equal tuples become one.
pub(super) fn merge(
    mut file: SpillFile,
    mut runs: Vec<Run>,
    packing: Packing,
    budget: Budget,
) -> Result<SortedTuples, SpillError> {
    loop {
        let mut merged = Writer::create()?;
        let mut longer = Vec::new();
        let last = runs.len() <= MOST_RUNS;
        for runs in runs.chunks(MOST_RUNS) {
            let start = merged.len();
            merge_some(&file, runs, &packing, budget, &mut merged)?;
            longer.push(start..merged.len());
        }
        let len = merged.len();
        (file, runs) = (merged.finish()?, longer);
        if last {
            return Ok(SortedTuples::new(file, len, packing, budget));
        }
    }
}

fn merge_some(
    file: &SpillFile,
    runs: &[Run],
    packing: &Packing,
    budget: Budget,
    merged: &mut Writer,
) -> Result<(), SpillError> {
    let words = packing.words();
    let buffer = (budget.buffers() / runs.len().max(1)).clamp(LEAST_BUFFER, 1 << 20);
    let mut readers: Vec<Reader<'_>> =
        runs.iter().map(|run| Reader::new(file, run.clone(), words + 1, buffer)).collect();
    // The next record of each run, the smallest on top; the key is followed by the count.
    let mut next: BinaryHeap<Reverse<(Vec<u64>, usize)>> = BinaryHeap::new();
    for (number, reader) in readers.iter_mut().enumerate() {
        if let Some(record) = reader.next()? {
            next.push(Reverse((record.to_vec(), number)));
        }
    }
    let mut last: Vec<u64> = Vec::new();
    while let Some(mut top) = next.peek_mut() {
        let Reverse((record, number)) = &mut *top;
        if last.len() == record.len() && last[..words] == record[..words] {
            last[words] += record[words];
        } else {
            merged.push(&last)?;
            last.clone_from(record);
        }
        match readers[*number].next()? {
            Some(following) => record.copy_from_slice(following),
            None => {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
    }
    merged.push(&last)
}
