//! Tuples of codes that exceed the memory limit, in files without a name.
//!
//! Rows are counted in memory until the budget is reached; what was counted goes to a file as a *run*, and counting starts anew. When all
//! codes are known, the runs are recoded, sorted and merged. Files hold codes and counts, never the text of a cell; they have no name from the
//! moment they exist, so that nothing stays behind, whatever happens.

mod budget;
mod counting;
mod file;
mod log;
mod merge;
mod sorted;

pub use crate::tuples::Packing;
pub use budget::Budget;
pub use counting::{CountedOff, CountingTuples, Runs};
pub use file::SpillError;
pub use log::{TupleLog, TupleLogWriter};
pub use sorted::SortedTuples;

use file::{Reader, SpillFile, Writer};

#[cfg(test)]
mod tests;
