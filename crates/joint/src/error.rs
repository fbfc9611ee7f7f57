//! Why a party does not get what it asked for.

use paravent_job::{Problem, Problems};
use paravent_pipeline::register::RegisterError;
use paravent_pipeline::run::RunError;
use paravent_prepare::study::Relaxation;
use std::path::{Path, PathBuf};

/// What went wrong. No message quotes a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The federation file, a job or a table that does not go with it.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The party's own job.
    #[error("{}: {source}", job.display())]
    Run {
        /// The job file.
        job: PathBuf,
        /// What happened.
        source: Box<RunError>,
    },
    /// The register of releases.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A file that cannot be read or written.
    #[error("{message}")]
    File {
        /// Which, and why.
        message: String,
        /// What to do.
        advice: Option<String>,
    },
    /// A file that is in the way.
    #[error("{}: is there already", .0.display())]
    Exists(PathBuf),
    /// The run ended without a release.
    #[error("{message}")]
    Ended {
        /// Who is the cause, and why.
        message: String,
        /// What to do.
        advice: String,
    },
    /// Whether there is a release is not known here.
    #[error("{message}")]
    Unknown {
        /// What was not heard.
        message: String,
        /// Whom to ask.
        advice: String,
    },
    /// No transformation keeps the promises.
    #[error("no transformation that the parties allow keeps the promises")]
    Infeasible {
        /// Single changes that would each work, where they are known.
        relaxations: Vec<Relaxation>,
    },
    /// Somebody stopped it.
    #[error("stopped on request")]
    Stopped,
}

impl From<Problem> for JointError {
    fn from(problem: Problem) -> JointError {
        JointError::Problems(problem.into())
    }
}

impl JointError {
    /// A file that the system does not let us use.
    pub(crate) fn io(path: &Path, error: impl std::fmt::Display) -> JointError {
        JointError::File { message: format!("{}: {error}", path.display()), advice: None }
    }

    /// What happened to the party's own job.
    pub(crate) fn of_job(job: &Path, source: impl Into<RunError>) -> JointError {
        JointError::Run { job: job.to_owned(), source: Box::new(source.into()) }
    }
}
