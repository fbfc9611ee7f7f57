//! Counting tuples within a budget.

use super::merge::{Run, merge};
use super::{Budget, Packing, Reader, SortedTuples, SpillError, SpillFile, Writer};
use crate::tuples::Tally;

/// A bag of code tuples that goes to a file whenever it has grown too large.
#[derive(Debug)]
pub struct CountingTuples {
    width: usize,
    budget: Budget,
    held: Tally,
    /// How often tuples were added.
    rows: u64,
    /// Where the counted tuples so far went: records of two codes per number, and the count.
    runs: Option<Writer>,
}

/// The tuples after the last was added.
#[derive(Debug)]
pub enum CountedOff {
    /// They all fit.
    Held(Tally),
    /// They did not: equal tuples may be in several places.
    Spilled(Runs),
}

/// Tuples in files, in codes that may still be replaced, in any order.
#[derive(Debug)]
pub struct Runs {
    width: usize,
    budget: Budget,
    file: SpillFile,
    /// Numbers in the file.
    len: u64,
}

impl CountedOff {
    /// Calls `visit` with all tuples and counts, in any order; equal tuples may come several times.
    pub fn each<E: From<SpillError>>(
        &self,
        visit: impl FnMut(&[u32], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            CountedOff::Held(tally) => tally.each(visit),
            CountedOff::Spilled(runs) => runs.each(visit),
        }
    }
}

impl CountingTuples {
    /// An empty bag of tuples with `width` codes each.
    pub fn new(width: usize, budget: Budget) -> CountingTuples {
        CountingTuples { width, budget, held: Tally::new(width), rows: 0, runs: None }
    }

    /// Adds a tuple `count` times.
    pub fn add(&mut self, tuple: &[u32], count: u64) -> Result<(), SpillError> {
        self.held.add(tuple, count);
        self.rows += count;
        self.keep_within_budget()
    }

    /// Adds rows once each: a column of codes for each but the last code, which is the same for all.
    pub fn add_rows(&mut self, columns: &[Vec<u32>], rows: usize, last: u32) -> Result<(), SpillError> {
        self.held.add_rows(columns, rows, last);
        self.rows += rows as u64;
        self.keep_within_budget()
    }

    /// The same tuples within another budget.
    pub fn within(mut self, budget: Budget) -> Result<CountingTuples, SpillError> {
        self.budget = budget;
        self.keep_within_budget()?;
        Ok(self)
    }

    fn keep_within_budget(&mut self) -> Result<(), SpillError> {
        if self.held.bytes() > self.budget.counted() && self.held.len() > 1 { self.spill() } else { Ok(()) }
    }

    /// How often tuples were added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.runs.is_none()
    }

    /// All that was counted.
    pub fn finish(mut self) -> Result<CountedOff, SpillError> {
        if self.runs.is_none() {
            return Ok(CountedOff::Held(self.held));
        }
        self.spill()?;
        match self.runs {
            None => Ok(CountedOff::Held(self.held)),
            Some(runs) => {
                let len = runs.len();
                let file = runs.finish()?;
                Ok(CountedOff::Spilled(Runs { width: self.width, budget: self.budget, file, len }))
            }
        }
    }

    fn spill(&mut self) -> Result<(), SpillError> {
        let runs = match &mut self.runs {
            Some(runs) => runs,
            None => self.runs.insert(Writer::create()?),
        };
        let mut record = vec![0u64; record_of(self.width)];
        self.held.each(|codes, rows| {
            let (pairs, count) = record.split_at_mut(self.width.div_ceil(2));
            for (pair, codes) in pairs.iter_mut().zip(codes.chunks(2)) {
                *pair = u64::from(codes[0]) | codes.get(1).map_or(0, |&code| u64::from(code) << 32);
            }
            count[0] = rows;
            runs.push(&record)
        })?;
        self.held.clear();
        Ok(())
    }
}

/// Numbers per record of a run.
fn record_of(width: usize) -> usize {
    width.div_ceil(2) + 1
}

impl Runs {
    /// Codes per tuple.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Calls `visit` with all tuples and counts; equal tuples may come several times.
    pub fn each<E: From<SpillError>>(
        &self,
        mut visit: impl FnMut(&[u32], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = Reader::new(&self.file, 0..self.len, record_of(self.width), 1 << 16);
        let mut codes = vec![0u32; self.width];
        while let Some(record) = reader.next()? {
            let (pairs, count) = record.split_at(self.width.div_ceil(2));
            for (codes, &pair) in codes.chunks_mut(2).zip(pairs) {
                codes[0] = pair as u32;
                if let [_, second] = codes {
                    *second = (pair >> 32) as u32;
                }
            }
            visit(&codes, count[0])?;
        }
        Ok(())
    }

    /// Replaces the codes (`new_codes[column][old] = new`, one to one), sorts the tuples and adds up equal ones. `cardinalities` has the
    /// number of new codes of each column.
    pub fn sorted(self, new_codes: &[Vec<u32>], cardinalities: &[usize]) -> Result<SortedTuples, SpillError> {
        let packing = Packing::new(cardinalities);
        let stride = packing.words() + 1;
        let most = (self.budget.sorted() / (stride * size_of::<u64>() + size_of::<u32>())).max(2);
        let mut sorted = Writer::create()?;
        let mut runs: Vec<Run> = Vec::new();
        let mut records: Vec<u64> = Vec::new();
        self.each(|codes, count| -> Result<(), SpillError> {
            let start = records.len();
            records.resize(start + stride, 0);
            let new = codes.iter().zip(new_codes).map(|(&code, new)| new[code as usize]);
            packing.pack(new, &mut records[start..]);
            records[start + stride - 1] = count;
            if records.len() >= most * stride {
                runs.push(write_sorted(&mut sorted, &records, stride)?);
                records.clear();
            }
            Ok(())
        })?;
        if !records.is_empty() {
            runs.push(write_sorted(&mut sorted, &records, stride)?);
        }
        drop(records);
        let budget = self.budget;
        // The space of the first file is free again before the merged one is written.
        drop(self);
        merge(sorted.finish()?, runs, packing, budget)
    }
}

fn write_sorted(sorted: &mut Writer, records: &[u64], stride: usize) -> Result<Run, SpillError> {
    let key = |&number: &u32| &records[number as usize * stride..][..stride - 1];
    let mut order: Vec<u32> = (0..(records.len() / stride) as u32).collect();
    order.sort_unstable_by(|a, b| key(a).cmp(key(b)));
    let start = sorted.len();
    for number in order {
        sorted.push(&records[number as usize * stride..][..stride])?;
    }
    Ok(start..sorted.len())
}
