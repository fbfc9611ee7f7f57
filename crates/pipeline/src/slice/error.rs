//! Why a table is not sliced.

use crate::register::RegisterError;
use crate::release::KeyError;
use paravent_job::Problems;
use paravent_prepare::study::StudyError;
use paravent_slicing::{BucketError, GroupError, Refusal, SecretError};
use paravent_tables::encode::ScanError;
use paravent_tables::read::ReadError;
use paravent_tables::write::WriteError;
use paravent_verify::{Verification, VerifyError};

/// Why a table is not sliced. Messages are for the owner of the table: they hold figures, never a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SliceError {
    /// The job, or a hierarchy.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The table cannot be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// What was asked for makes no sense for this table.
    #[error("{0}")]
    Request(String),
    /// The column groups are wrong.
    #[error(transparent)]
    Groups(#[from] GroupError),
    /// Rows cannot be put into buckets.
    #[error(transparent)]
    Buckets(#[from] BucketError),
    /// The slicing would give people away.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Refusal>),
    /// The classes of a generalization cannot be found.
    #[error(transparent)]
    Study(StudyError),
    /// No generalization keeps the promise.
    #[error("no generalization of [{quasi}] makes classes of {k} rows; ask for fewer, or for fewer columns")]
    NoClasses {
        /// The quasi-identifiers.
        quasi: String,
        /// What was asked for.
        k: u32,
    },
    /// There is nothing random to draw from.
    #[error(transparent)]
    Secret(#[from] SecretError),
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

impl From<ReadError> for SliceError {
    fn from(error: ReadError) -> SliceError {
        SliceError::Scan(ScanError::Read(error))
    }
}

impl From<StudyError> for SliceError {
    fn from(error: StudyError) -> SliceError {
        match error {
            StudyError::Problems(problems) => SliceError::Problems(problems),
            StudyError::Scan(error) => SliceError::Scan(error),
            other => SliceError::Study(other),
        }
    }
}
