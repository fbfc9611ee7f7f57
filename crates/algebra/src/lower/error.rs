//! Why an operator could not be lowered.

use datafusion::common::DataFusionError;
use paravent_pipeline::job::Problems;
use paravent_pipeline::study::StudyError;

/// Why an operator could not be lowered. No message holds a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The engine failed. Its own words may quote a cell, so they are for planning errors only.
    #[error("the query could not be run")]
    Engine(#[from] DataFusionError),
    /// The promise, a hierarchy or the relation is at fault.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// No generalization keeps the promise.
    #[error(
        "no generalization of [{quasi}] keeps the promise ({promise}); allow more suppression, or promise less"
    )]
    NoSolution {
        /// The quasi-identifiers.
        quasi: String,
        /// What was asked for.
        promise: String,
    },
    /// Time was up before any solution was found.
    #[error("the time limit ended the search before it found a generalization that keeps the promise")]
    OutOfTime,
    /// Without quasi-identifiers the relation is one class.
    #[error("without quasi-identifiers the relation is one class of {rows} rows, which is less than k = {k}")]
    TooFewRows {
        /// Rows there are.
        rows: u64,
        /// Rows there should be.
        k: u32,
    },
    /// Models beyond k-anonymity need something to generalize.
    #[error("a promise beyond k-anonymity needs quasi-identifiers; write quasi => (…)")]
    NothingToGeneralize,
    /// An operator inside an expression.
    #[error("generalize, slice and randomize belong into FROM; inside an expression they cannot be used")]
    InsideExpression,
}

impl From<Problems> for LowerError {
    fn from(problems: Problems) -> LowerError {
        LowerError::Study(StudyError::Problems(problems))
    }
}
