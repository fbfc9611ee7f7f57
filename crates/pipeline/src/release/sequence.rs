//! The rows of a release, and the order in which they are written.

use super::ReleaseError;
use paravent_job::{Problem, RowOrder};
use paravent_prepare::study::StudyError;
use paravent_tables::encode::{PackedTuples, Tuples};
use paravent_tables::spill::{
    Budget, CountedOff, CountingTuples, SortedTuples, SpillError, TupleLog, TupleLogWriter,
};
use paravent_tables::write::ReleasedColumn;
use rand::SeedableRng;
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::seq::SliceRandom;
use std::ops::ControlFlow;

/// Counts released rows, or writes them down one by one where the order of the input is wanted.
pub(super) enum RowCounter {
    /// To be sorted or shuffled.
    Counting(CountingTuples, RowOrder),
    /// Each row by itself: the number of its tuple.
    Numbering(Tuples, Vec<u32>),
    /// The same within a budget.
    Logging(TupleLogWriter),
}

/// All released rows, in codes that are still to be replaced.
pub(super) enum CountedRows {
    /// To be sorted or shuffled.
    Counted(CountedOff, RowOrder),
    /// As they came.
    Numbered(Tuples, Vec<u32>),
    /// As they came.
    Logged(TupleLog),
}

/// Released rows in the order of writing.
#[derive(Debug)]
pub(super) enum Rows {
    /// Each tuple as often as it was counted.
    Sorted(PackedTuples),
    /// Each row by itself: the number of its tuple among the sorted ones.
    Shuffled(PackedTuples, Vec<u32>),
    /// Each row by itself, in the order of the input: the number of its tuple.
    OneByOne(Tuples, Vec<u32>),
    /// In the order of the input, with the new codes by column and old code.
    Logged(TupleLog, Vec<Vec<u32>>),
    /// More than memory holds, sorted.
    SortedFile(SortedTuples),
    /// More than memory holds: for each row to write, its number among the sorted ones.
    ShuffledFile(SortedTuples, Vec<u32>),
}

impl RowCounter {
    pub(super) fn new(width: usize, order: RowOrder, budget: Budget) -> Result<RowCounter, SpillError> {
        Ok(match order {
            RowOrder::Input if budget == Budget::unlimited() => {
                RowCounter::Numbering(Tuples::new(width), Vec::new())
            }
            RowOrder::Input => RowCounter::Logging(TupleLogWriter::create(width)?),
            RowOrder::Canonical | RowOrder::Shuffled => {
                RowCounter::Counting(CountingTuples::new(width, budget), order)
            }
        })
    }

    pub(super) fn add(&mut self, tuple: &[u32], count: u64) -> Result<(), SpillError> {
        match self {
            RowCounter::Counting(tuples, _) => tuples.add(tuple, count),
            RowCounter::Numbering(tuples, rows) => {
                let number = tuples.add(tuple, count);
                rows.extend(std::iter::repeat_n(number, count as usize));
                Ok(())
            }
            RowCounter::Logging(log) => (0..count).try_for_each(|_| log.push(tuple)),
        }
    }

    pub(super) fn finish(self) -> Result<CountedRows, SpillError> {
        Ok(match self {
            RowCounter::Counting(tuples, order) => CountedRows::Counted(tuples.finish()?, order),
            RowCounter::Numbering(tuples, rows) => CountedRows::Numbered(tuples, rows),
            RowCounter::Logging(log) => CountedRows::Logged(log.finish()?),
        })
    }
}

impl CountedRows {
    /// By column and code: whether some row shows the cell.
    pub(super) fn used(&self, cells: &[Vec<Option<&str>>]) -> Result<Vec<Vec<bool>>, SpillError> {
        let mut used: Vec<Vec<bool>> = cells.iter().map(|cells| vec![false; cells.len()]).collect();
        let mut mark = |codes: &[u32]| {
            used.iter_mut().zip(codes).for_each(|(used, &code)| used[code as usize] = true);
        };
        match self {
            CountedRows::Numbered(tuples, _) => {
                (0..tuples.len() as u32).for_each(|number| mark(tuples.tuple(number)));
            }
            CountedRows::Counted(counted, _) => counted.each(|codes, _| -> Result<(), SpillError> {
                mark(codes);
                Ok(())
            })?,
            CountedRows::Logged(log) => log.each(|codes| -> Result<(), SpillError> {
                mark(codes);
                Ok(())
            })?,
        }
        Ok(used)
    }

    /// Replaces the codes, and puts the rows into their order.
    pub(super) fn in_order(
        self,
        new_codes: &[Vec<u32>],
        columns: &[ReleasedColumn],
        seed: Option<u64>,
    ) -> Result<Rows, StudyError> {
        let (counted, order) = match self {
            CountedRows::Logged(log) => return Ok(Rows::Logged(log, new_codes.to_vec())),
            CountedRows::Numbered(mut tuples, rows) => {
                tuples.recode(new_codes);
                return Ok(Rows::OneByOne(tuples, rows));
            }
            CountedRows::Counted(tuples, order) => (tuples, order),
        };
        // Shuffled from the sorted order, so that the same seed gives the same bytes whatever the input's order.
        let cardinalities: Vec<usize> = columns.iter().map(|column| column.cells.len()).collect();
        match counted {
            CountedOff::Held(tally) => {
                let tuples = tally.into_sorted(new_codes, &cardinalities);
                if order == RowOrder::Canonical {
                    return Ok(Rows::Sorted(tuples));
                }
                let repeated = |number| std::iter::repeat_n(number, tuples.count(number) as usize);
                let mut rows: Vec<u32> = (0..tuples.len() as u32).flat_map(repeated).collect();
                rows.shuffle(&mut generator(seed)?);
                Ok(Rows::Shuffled(tuples, rows))
            }
            CountedOff::Spilled(runs) => {
                let sorted = runs.sorted(new_codes, &cardinalities)?;
                if order == RowOrder::Canonical {
                    return Ok(Rows::SortedFile(sorted));
                }
                let mut count = 0u64;
                sorted.each(|_, more| -> Result<_, SpillError> {
                    count += more;
                    Ok(ControlFlow::Continue(()))
                })?;
                let mut rows: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
                rows.shuffle(&mut generator(seed)?);
                Ok(Rows::ShuffledFile(sorted, rows))
            }
        }
    }
}

impl Rows {
    /// Calls `visit` with the codes of each row, and how often it is to be written.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(&[u32], u64) -> Result<(), ReleaseError>,
    ) -> Result<(), ReleaseError> {
        match self {
            Rows::Sorted(tuples) => tuples.each(|_, codes, count| visit(codes, count)),
            Rows::Shuffled(tuples, numbers) => {
                let mut codes = vec![0u32; tuples.width()];
                numbers.iter().try_for_each(|&number| {
                    tuples.unpack(number, &mut codes);
                    visit(&codes, 1)
                })
            }
            Rows::OneByOne(tuples, numbers) => {
                numbers.iter().try_for_each(|&number| visit(tuples.tuple(number), 1))
            }
            Rows::Logged(log, new_codes) => log.each(|codes| {
                for (code, new) in codes.iter_mut().zip(new_codes) {
                    *code = new[*code as usize];
                }
                visit(codes, 1)
            }),
            Rows::SortedFile(sorted) => sorted.each(|codes, count| {
                visit(codes, count)?;
                Ok(ControlFlow::Continue(()))
            }),
            Rows::ShuffledFile(sorted, rows) => each_shuffled(sorted, rows, visit),
        }
    }

    pub(super) fn is_spilled(&self) -> bool {
        matches!(self, Rows::SortedFile(_) | Rows::ShuffledFile(..) | Rows::Logged(..))
    }
}

/// The rows of a sorted file in another order: as many at a time as memory allows, each time reading the file once.
fn each_shuffled(
    sorted: &SortedTuples,
    rows: &[u32],
    mut visit: impl FnMut(&[u32], u64) -> Result<(), ReleaseError>,
) -> Result<(), ReleaseError> {
    let width = sorted.width();
    let at_a_time = (sorted.budget().once() / (width * 4 + 12)).max(1);
    for rows in rows.chunks(at_a_time) {
        let mut wanted: Vec<(u32, u32)> = rows.iter().copied().zip(0u32..).collect();
        wanted.sort_unstable();
        let mut codes = vec![0u32; rows.len() * width];
        let (mut next, mut row) = (0, 0u64);
        sorted.each(|tuple, count| -> Result<_, SpillError> {
            row += count;
            while let Some(&(_, place)) = wanted.get(next).filter(|&&(number, _)| u64::from(number) < row) {
                codes[place as usize * width..][..width].copy_from_slice(tuple);
                next += 1;
            }
            let done = next == wanted.len();
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        codes.chunks_exact(width.max(1)).try_for_each(|codes| visit(codes, 1))?;
    }
    Ok(())
}

/// From the seed where one is asked for, else from the operating system.
fn generator(seed: Option<u64>) -> Result<ChaCha20Rng, StudyError> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| {
            Problem::new("", format!("the operating system gives no random numbers: {error}")).into()
        }),
    }
}
