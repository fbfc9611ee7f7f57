//! Why there is no release.

use crate::register::RegisterError;
use crate::release::{KeyError, ReleaseError, TransformError};
use paravent_job::Problems;
use paravent_prepare::study::{Relaxation, StudyError};
use paravent_tables::encode::ScanError;
use paravent_tables::read::ReadError;
use paravent_tables::write::WriteError;
use paravent_verify::{Verification, VerifyError};

/// Why there is no release.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The job, a hierarchy or the table's columns are at fault.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// Reading or searching failed.
    #[error(transparent)]
    Study(StudyError),
    /// No transformation keeps the promises.
    #[error("no transformation that the job allows keeps the promises")]
    Infeasible {
        /// Single changes that would work.
        relaxations: Vec<Relaxation>,
        /// Whether the whole lattice was looked at.
        complete: bool,
    },
    /// The release could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The verifier could not examine the files.
    #[error("the finished files could not be verified: {0}")]
    Unverifiable(#[from] VerifyError),
    /// The verifier found a promise broken: a bug of ours. Nothing was released.
    #[error("the finished files fail {} checks of the verifier; nothing was released", .0.violations().count())]
    Refuted(Box<Verification>),
    /// The transformation to repeat cannot be read.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// The register of releases cannot be continued. Nothing was released.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The key to sign with cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers; nothing was written")]
    NoRandomness,
    /// The system makes no more threads.
    #[error("the run needs threads, and the system makes none: {0}")]
    Threads(std::io::Error),
    /// Somebody asked to stop.
    #[error("stopped on request; nothing was written")]
    Stopped,
}

impl From<StudyError> for RunError {
    fn from(error: StudyError) -> RunError {
        match error {
            StudyError::Problems(problems) => RunError::Problems(problems),
            StudyError::Scan(ScanError::Stopped) => RunError::Stopped,
            StudyError::Threads(error) => RunError::Threads(error),
            other => RunError::Study(other),
        }
    }
}

impl From<ReleaseError> for RunError {
    fn from(error: ReleaseError) -> RunError {
        match error {
            ReleaseError::Write(error) => RunError::Write(error),
            ReleaseError::Spill(error) => RunError::from(StudyError::from(error)),
        }
    }
}

impl From<ReadError> for RunError {
    fn from(error: ReadError) -> RunError {
        RunError::from(StudyError::from(error))
    }
}
