//! What went wrong, as the page is told: the same words, keys and advice as on the command line.

use crate::wire::{FaultKind, FaultView, ProblemView, RelaxationView};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use paravent_assess::LoadError;
use paravent_assess::attack::AttackError;
use paravent_assess::init::InitError;
use paravent_assess::risk::RiskError;
use paravent_job::{Problem, Problems};
use paravent_joint::JointError;
use paravent_pipeline::register::RegisterError;
use paravent_pipeline::release::KeyError;
use paravent_pipeline::run::RunError;
use paravent_prepare::study::StudyError;
use paravent_tables::encode::ScanError;
use paravent_tables::read::ReadError;
use std::path::PathBuf;

/// Why something could not be done.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The answer's status, where the fault ends a request and not a run.
    pub status: StatusCode,
    /// What the page is told.
    pub view: Box<FaultView>,
}

impl Fault {
    fn new(status: StatusCode, kind: FaultKind, message: impl Into<String>) -> Fault {
        let view = FaultView {
            kind,
            message: message.into(),
            advice: None,
            problems: Vec::new(),
            relaxations: Vec::new(),
            complete: None,
            rules: Vec::new(),
        };
        Fault { status, view: Box::new(view) }
    }

    /// The request makes no sense.
    pub fn request(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::BAD_REQUEST, FaultKind::Request, message)
    }

    /// There is no such thing.
    pub fn absent(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::NOT_FOUND, FaultKind::Request, message)
    }

    /// Somebody else was faster, or the order is wrong.
    pub fn conflict(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::CONFLICT, FaultKind::Conflict, message)
    }

    /// More than is taken.
    pub fn too_large(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::PAYLOAD_TOO_LARGE, FaultKind::Request, message)
    }

    /// A file cannot be read or written.
    pub fn input_output(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::UNPROCESSABLE_ENTITY, FaultKind::InputOutput, message)
    }

    /// The policy does not allow it.
    #[cfg(feature = "sql")]
    pub fn refused(message: impl Into<String>, rules: Vec<String>) -> Fault {
        let mut fault = Fault::new(StatusCode::FORBIDDEN, FaultKind::Refused, message);
        fault.view.rules = rules;
        fault
    }

    /// Somebody asked to stop.
    pub fn stopped() -> Fault {
        Fault::new(StatusCode::CONFLICT, FaultKind::Stopped, "stopped on request; nothing was written")
    }

    /// A bug.
    pub fn internal() -> Fault {
        Fault::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            FaultKind::Internal,
            "internal error; please report this",
        )
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Fault {
        self.view.advice = Some(advice.into());
        self
    }
}

impl Fault {
    /// The same with files named as they are seen from these folders.
    #[must_use]
    pub fn seen_from(mut self, folders: &[PathBuf]) -> Fault {
        for folder in folders {
            let folder = format!("{}/", folder.display());
            self.view.message = self.view.message.replace(&folder, "");
            self.view.advice = self.view.advice.map(|advice| advice.replace(&folder, ""));
        }
        self
    }
}

/// A problem of a file, for the page: the file by its name alone.
pub fn problem(problem: &Problem) -> ProblemView {
    let name = problem.file.file_name().map(|name| name.to_string_lossy().into_owned());
    ProblemView {
        file: name.unwrap_or_default(),
        line: problem.line,
        key: problem.key.clone(),
        message: problem.message.clone(),
        advice: problem.advice.clone(),
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        (self.status, Json(self.view)).into_response()
    }
}

impl From<Problems> for Fault {
    fn from(problems: Problems) -> Fault {
        let mut fault = Fault::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            FaultKind::Configuration,
            problems.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("; "),
        );
        fault.view.problems = problems.iter().map(problem).collect();
        fault
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        match error {
            ReadError::Options { path, reason } => Problems::from(Problem::new(path, reason)).into(),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<ScanError> for Fault {
    fn from(error: ScanError) -> Fault {
        match error {
            ScanError::Read(error) => error.into(),
            ScanError::Stopped => Fault::stopped(),
            ScanError::WrongType { ref path, ref column, expected, seen } => {
                let message = format!("column {column} is declared as {expected}, but this cell is not one");
                let problem = match seen.line.map(usize::try_from) {
                    Some(Ok(line)) => Problem::new(path, message).at_line(line),
                    _ => Problem::new(path, format!("row {}: {message}", seen.row)),
                };
                let advice = "Correct the cell, list its text in input.null if it stands for a missing value, or declare \
                              another type in the job file";
                Problems::from(problem.advise(advice)).into()
            }
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<StudyError> for Fault {
    fn from(error: StudyError) -> Fault {
        match error {
            StudyError::Problems(problems) => problems.into(),
            StudyError::Scan(error) => error.into(),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Fault {
        match error {
            RunError::Problems(problems) => problems.into(),
            RunError::Study(error) => error.into(),
            RunError::Infeasible { relaxations, complete } => {
                let message = "no transformation that the job allows keeps the promises";
                let mut fault = Fault::new(StatusCode::UNPROCESSABLE_ENTITY, FaultKind::Infeasible, message);
                fault.view.complete = Some(complete);
                fault.view.relaxations = relaxations
                    .into_iter()
                    .map(|one| RelaxationView {
                        key: one.key,
                        from: one.from,
                        to: one.to,
                        advice: one.advice,
                    })
                    .collect();
                fault
            }
            RunError::Refuted(verification) => {
                let found: Vec<String> = verification
                    .violations()
                    .map(|check| format!("{}: {}", check.name, check.detail))
                    .collect();
                let message = "the finished files fail the verifier; nothing was released";
                Fault::new(StatusCode::INTERNAL_SERVER_ERROR, FaultKind::Internal, message)
                    .advise(found.join("; "))
            }
            RunError::Register(error) => error.into(),
            RunError::Stopped => Fault::stopped(),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<RegisterError> for Fault {
    fn from(error: RegisterError) -> Fault {
        let fault = Fault::input_output(error.to_string());
        match error {
            RegisterError::Broken { .. } | RegisterError::Lost { .. } => fault.advise(
                "See `paravent register verify`. Put back the file as it was, or start a new one by moving it elsewhere, \
                 together with its releases",
            ),
            RegisterError::Changed { sequence, .. } => fault.advise(format!(
                "Put the files back as they were; or, if nobody has that release, `paravent register withdraw {sequence}`"
            )),
            RegisterError::WouldVanish { sequence, .. } => fault.advise(format!(
                "Write to another folder; or, if nobody has that release, `paravent register withdraw {sequence}`"
            )),
            _ => fault,
        }
    }
}

impl From<JointError> for Fault {
    fn from(error: JointError) -> Fault {
        match error {
            JointError::Problems(problems) => problems.into(),
            JointError::File { message, advice: Some(advice) } => Fault::input_output(message).advise(advice),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<KeyError> for Fault {
    fn from(error: KeyError) -> Fault {
        Fault::input_output(error.to_string())
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Fault {
        match error {
            LoadError::Problems(problems) => problems.into(),
            LoadError::Scan(error) => error.into(),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<RiskError> for Fault {
    fn from(error: RiskError) -> Fault {
        match error {
            RiskError::Load(error) => error.into(),
            other => Fault::request(other.to_string()),
        }
    }
}

impl From<AttackError> for Fault {
    fn from(error: AttackError) -> Fault {
        match error {
            AttackError::Load(error) => error.into(),
            AttackError::Problems(problems) => problems.into(),
            other => Fault::input_output(other.to_string()),
        }
    }
}

impl From<InitError> for Fault {
    fn from(error: InitError) -> Fault {
        match error {
            InitError::Read(error) => error.into(),
            InitError::Stopped => Fault::stopped(),
            other => Fault::input_output(other.to_string()),
        }
    }
}
