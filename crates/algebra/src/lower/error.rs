//! Why an operator could not be lowered.

use crate::ledger::BookError;
use crate::tracking::Mixed;
use datafusion::common::DataFusionError;
use paravent_job::Problems;
use paravent_prepare::study::StudyError;

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
    /// Fewer rows than one class must have.
    #[error("generalize: the relation has fewer than k = {k} rows; promise less, or select more rows")]
    FewerThanK {
        /// Rows there should be.
        k: u32,
    },
    /// Labels that were made from different rows.
    #[error(
        "generalize: the labels of column {column:?} come from several operators that made them from different rows, so there is no way up for all of \
         them; generalize once, around the union"
    )]
    LabelsDiffer {
        /// The column.
        column: String,
    },
    /// Time was up before any solution was found.
    #[error("the time limit ended the search before it found a generalization that keeps the promise")]
    OutOfTime,
    /// Without quasi-identifiers the relation is one class.
    #[error("without quasi-identifiers the relation is one class, and it has fewer than k = {k} rows")]
    TooFewRows {
        /// Rows there should be.
        k: u32,
    },
    /// Models beyond k-anonymity need something to generalize.
    #[error("a promise beyond k-anonymity needs quasi-identifiers; write quasi => (…)")]
    NothingToGeneralize,
    /// The operating system has no random numbers.
    #[error("the operating system gives no random numbers, and without them nothing can be drawn")]
    NoRandomness,
    /// Rows cannot be put into buckets. How many rows there are is not told.
    #[error("slice: {}", .0.without_figures())]
    Buckets(#[from] paravent_slicing::BucketError),
    /// The slicing would give people away.
    #[error("slice: {}", .0.without_figures())]
    Sliced(#[from] paravent_slicing::Refusal),
    /// Rows whose person is not known.
    #[error(
        "slice: whose rows these are cannot be told, and buckets must have several people; keep a table with the job's person in the relation, and write it \
         without WITH RECURSIVE"
    )]
    Unfollowed,
    /// A bucket with too few people.
    #[error(
        "slice: a bucket has rows of fewer than {least} people, and rows of one person hide nobody; use larger buckets, or merge => true"
    )]
    FewPeople {
        /// People there should be.
        least: u32,
    },
    /// Groups share values that are too rare.
    #[error(
        "slice: values that groups share occur fewer than {least} times in a bucket, which links the groups again; use larger buckets, or groups without common columns"
    )]
    Relinking {
        /// How often they should occur.
        least: u32,
    },
    /// The noise distribution of a column is no distribution.
    #[error("randomize: column {column:?}: {source}")]
    Distribution {
        /// The column.
        column: String,
        /// What is wrong.
        source: paravent_noise::distribution::DistributionError,
    },
    /// The noise of a column cannot be drawn exactly.
    #[error("randomize: column {column:?}: {reason}")]
    Noise {
        /// The column.
        column: String,
        /// Why.
        reason: String,
    },
    /// A private aggregate that cannot be hidden.
    #[error("private: {0}")]
    Budget(String),
    /// The ledger does not allow it, or cannot be used.
    #[error(transparent)]
    Ledger(#[from] Box<BookError>),
    /// The true figures could not be computed. Why is not told: it may depend on one person.
    #[error("private: the query could not be computed within its limits; nothing is told about why")]
    Figures,
    /// Something below an operator that is not let through. Decided from the statement and the job alone.
    #[error("{0}")]
    Refused(String),
    /// An operator inside an expression.
    #[error("generalize, slice and randomize belong into FROM; inside an expression they cannot be used")]
    InsideExpression,
}

impl LowerError {
    /// A refusal that was found in the plan, before any row was read.
    pub(super) fn refused(error: DataFusionError) -> LowerError {
        match error {
            DataFusionError::Plan(message) => LowerError::Refused(message),
            other => LowerError::Engine(other),
        }
    }
}

impl From<Mixed> for LowerError {
    fn from(mixed: Mixed) -> LowerError {
        LowerError::Refused(mixed.to_string())
    }
}

impl From<BookError> for LowerError {
    fn from(error: BookError) -> LowerError {
        LowerError::Ledger(Box::new(error))
    }
}

impl From<Problems> for LowerError {
    fn from(problems: Problems) -> LowerError {
        LowerError::Study(StudyError::Problems(problems))
    }
}
