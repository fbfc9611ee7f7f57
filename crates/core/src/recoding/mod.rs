//! Local recoding: every class has a box of its own, one label per column, each from any level of its hierarchy.
//!
//! The rows of a tuple stay together, so a recoding says for every tuple which box its rows show. Classes are judged by equal
//! *released* tuples: boxes that read the same are one class. The search starts from an agglomeration (`start`), dissolves and
//! clusters anew a few classes at a time (`improve`, `cluster`) in blocks of near classes (`blocks`), and stops after a number of
//! moves, so that the same task gives the same boxes on every machine and for any number of threads. Beside the loss stands a
//! lower bound that no local recoding goes below (`bound`, with its proof).

mod blocks;
mod bound;
mod cluster;
mod improve;
mod judge;
mod labels;
mod measure;
mod objective;
mod presences;
mod probe;
mod random;
mod run;
mod space;
mod start;
mod suppression;

pub use run::{Effort, Observer, Progress, Unobserved};

use crate::criteria::Achieved;
use crate::quality::Metric;
use crate::release::PeopleKept;
use crate::search::SearchError;

/// A local recoding that holds, and how far it may be from the best.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The boxes, no two of which read the same.
    pub boxes: Vec<LabelBox>,
    /// By tuple: the number of its box; `None` where its rows are suppressed, and for tuples without rows.
    pub box_of: Vec<Option<u32>>,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Where people are counted: how many there are, and how many lose a row. Class sizes are then people.
    pub people: Option<PeopleKept>,
    /// Sizes of the released classes and how many classes have them, ascending.
    pub class_sizes: Vec<(u64, u64)>,
    /// The task's metric, lower is better.
    pub loss: f64,
    /// No local recoding of the task has a lower loss.
    pub lower_bound: f64,
    /// Every metric that is defined on boxes, as the literature defines it.
    pub losses: Vec<(Metric, f64)>,
    /// By criterion, in the order given: the figures of the worst released class.
    pub achieved: Vec<Achieved>,
    /// By column and level: released cells.
    pub cells_by_level: Vec<Vec<u64>>,
    /// Moves that were tried.
    pub moves: u64,
}

/// One label per column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelBox {
    /// By column: the level.
    pub levels: Box<[u8]>,
    /// By column: the group on that level.
    pub groups: Box<[u32]>,
    /// Rows that show the box.
    pub rows: u64,
}

impl Recoding {
    /// How much of the loss may be avoidable: `(loss − bound) / bound`; `None` where the bound is 0 and the loss is not.
    pub fn gap(&self) -> Option<f64> {
        if self.loss <= self.lower_bound {
            return Some(0.0);
        }
        (self.lower_bound > 0.0).then(|| (self.loss - self.lower_bound) / self.lower_bound)
    }
}

/// Why a task cannot be recoded locally.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecodingError {
    /// The metric has no meaning for boxes.
    #[error("metric {}: not defined where labels of a column come from several levels", .0.name())]
    Metric(Metric),
    /// A criterion compares with a population.
    #[error("boxes overlap, so a row of the population belongs to no one class")]
    Population,
    /// People are kept or left out as a whole.
    #[error("the rows of a tuple stay together, so people cannot be kept or left out as a whole")]
    PersonRows,
    /// The tuples are not in memory.
    #[error("local recoding needs all tuples in memory")]
    InPieces,
    /// Levels that a column does not have, or none.
    #[error("quasi-identifier {column}: no levels, or levels that its hierarchy does not have")]
    Levels {
        /// Name of the quasi-identifier.
        column: String,
    },
    /// The search for a first release failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

#[cfg(test)]
mod tests;
