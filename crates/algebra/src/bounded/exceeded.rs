//! A limit was reached.

use datafusion::common::DataFusionError;

/// A limit that a running statement reached. Tells no number of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Exceeded {
    /// Rows, tables and intermediate results.
    #[error(
        "the statement needs more memory than it may have; ask for less, or allow more with SET paravent.memory or --memory"
    )]
    Memory,
    /// The rows that come out.
    #[error(
        "the answer is larger than it may be; ask for fewer rows, or allow more with SET paravent.answer or --answer"
    )]
    Answer,
    /// One value, or one column of a batch.
    #[error(
        "a function would build texts or lists that are larger than a statement may have; ask for shorter ones"
    )]
    Value,
    /// The time is up.
    #[error(
        "the statement takes longer than it may; ask for less, or allow more with SET paravent.seconds or --seconds"
    )]
    Time,
}

impl From<Exceeded> for DataFusionError {
    fn from(exceeded: Exceeded) -> DataFusionError {
        DataFusionError::External(Box::new(exceeded))
    }
}
