//! Why a relation may not stand below `private`.

use datafusion::common::DataFusionError;

/// Rows that may depend on several people, or on people that cannot be told apart. Decided from the statement and the job alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("private: {what} is not possible below it: {why}")]
pub struct Mixed {
    /// The construct, as it is called in SQL.
    pub what: String,
    /// What is wrong with it, and what to write instead.
    pub why: String,
}

impl Mixed {
    /// A refusal.
    pub fn new(what: impl Into<String>, why: impl Into<String>) -> Mixed {
        Mixed { what: what.into(), why: why.into() }
    }
}

impl From<Mixed> for DataFusionError {
    fn from(mixed: Mixed) -> DataFusionError {
        DataFusionError::Plan(mixed.to_string())
    }
}

/// The engine could not build a node: a plan that it planned before, so the reason is not the data.
impl From<DataFusionError> for Mixed {
    fn from(error: DataFusionError) -> Mixed {
        let why = match &error {
            DataFusionError::Plan(message) => message.clone(),
            _ => "the engine cannot carry the person along".to_owned(),
        };
        Mixed::new("a relation of this kind", why)
    }
}
