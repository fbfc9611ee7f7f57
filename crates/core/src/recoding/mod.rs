//! Local recoding: every class has a box of its own, one label per column, each from any level of its hierarchy.
//!
//! The rows of a tuple stay together, so a recoding says for every tuple which box its rows show. Classes are judged by equal
//! *released* tuples: boxes that read the same are one class. The search starts from an agglomeration (`start`), from the
//! boxes of one node after the other (`peel`), from iterated full-domain recoding (`iterated`, where there are few tuples) or from the best
//! full-domain release, whichever loses least, dissolves and
//! clusters anew a few classes at a time (`improve`, `cluster`) in blocks of near classes (`blocks`), and stops after a number of
//! moves, so that the same task gives the same boxes on every machine and for any number of threads. Beside the loss stands a
//! lower bound that no local recoding goes below (`bound`, with its proof).

mod apply;
mod baselines;
mod blocks;
mod bound;
mod cluster;
mod improve;
mod iterated;
mod judge;
mod known;
mod labels;
mod limits;
mod measure;
mod node;
mod objective;
mod peel;
mod population;
mod presences;
mod probe;
mod random;
mod reduce;
mod run;
mod space;
mod start;
mod stopping;
mod suppression;

use apply::united;
pub use baselines::Baseline;
pub use known::MOST_CHOICES;
pub use run::{Effort, Observer, Progress, Unobserved};

use crate::quality::Metric;
use crate::release::Solution;
use crate::search::SearchError;

/// A local recoding that holds, and how far it may be from the best.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The boxes applied: only this makes a release.
    pub solution: Solution,
    /// The task's metric, lower is better.
    pub loss: f64,
    /// No local recoding of the task has a lower loss.
    pub lower_bound: f64,
    /// Moves that were tried.
    pub moves: u64,
    /// Whether all moves were tried and the search was not stopped.
    pub complete: bool,
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
    /// The balance of generalization and suppression has no meaning for the metric.
    #[error("metric {}: no balance of generalization and suppression where labels come from several levels", .0.name())]
    Balance(Metric),
    /// A criterion compares with a population.
    #[error(
        "boxes overlap, so a row that only the population has belongs to no one class, and people are not counted there"
    )]
    Population,
    /// People are kept or left out as a whole.
    #[error("the rows of a tuple stay together, so people cannot be kept or left out as a whole")]
    PersonRows,
    /// The tuples are not in memory.
    #[error("local recoding needs all tuples in memory")]
    InPieces,
    /// Against an attacker who knows few columns, only metrics of cells are defined.
    #[error(
        "metric {}: not defined where only some columns are known, nor is a balance of generalization and suppression",
        .0.name()
    )]
    KnownMetric(Metric),
    /// Criteria that unions do not keep, or that count people or a population.
    #[error(
        "where only some columns are known, the models must survive when classes are united, and rows are counted"
    )]
    KnownCriteria,
    /// More choices of columns than anybody counts.
    #[error("there are more than {most} choices of that many columns")]
    Choices {
        /// The most there may be.
        most: usize,
    },
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
