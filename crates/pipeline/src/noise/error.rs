//! Why no noise is drawn.

use crate::register::RegisterError;
use crate::release::KeyError;
use crate::slice::SliceError;
use paravent_job::Problems;
use paravent_ledger::BookError;
use paravent_noise::draw::NoRandomness;
use paravent_tables::encode::ScanError;
use paravent_tables::write::WriteError;
use paravent_verify::{Verification, VerifyError};

/// Why no noise is drawn. Messages name columns and rows, never a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// The job.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The table cannot be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// What was asked for makes no sense, or not for this table.
    #[error("{0}")]
    Request(String),
    /// A cell that the noise does not know.
    #[error("row {row}, column {column:?}: the cell is none of the {values} values of its noise; {advice}")]
    Outside {
        /// The row, from 1.
        row: usize,
        /// The column.
        column: String,
        /// How many values there are.
        values: usize,
        /// What to do.
        advice: &'static str,
    },
    /// Nothing was granted.
    #[error(transparent)]
    Book(#[from] BookError),
    /// There is nothing random to draw from.
    #[error(transparent)]
    Secret(#[from] NoRandomness),
    /// The result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The verifier could not examine the files.
    #[error("the finished files could not be verified: {0}")]
    Unverifiable(#[from] VerifyError),
    /// The verifier found the release not to be what it says: nothing was released.
    #[error("the finished files fail {} checks of the verifier; nothing was released", .0.violations().count())]
    Refuted(Verification),
    /// The key that signs cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The register of releases cannot be continued.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// Tables and register lines are shared with slicing.
impl From<SliceError> for NoiseError {
    fn from(error: SliceError) -> NoiseError {
        match error {
            SliceError::Problems(problems) => NoiseError::Problems(problems),
            SliceError::Scan(error) => NoiseError::Scan(error),
            SliceError::Write(error) => NoiseError::Write(error),
            SliceError::Register(error) => NoiseError::Register(error),
            SliceError::Unverifiable(error) => NoiseError::Unverifiable(error),
            SliceError::Refuted(verification) => NoiseError::Refuted(verification),
            SliceError::Key(error) => NoiseError::Key(error),
            other => NoiseError::Request(other.to_string()),
        }
    }
}
