//! Errors as Python exceptions, with the fields of the command line's JSON.

use paravent_assess::LoadError;
use paravent_assess::attack::AttackError;
use paravent_assess::init::InitError;
use paravent_assess::risk::RiskError;
use paravent_job::{Problem, Problems};
use paravent_pipeline::noise::NoiseError;
use paravent_pipeline::run::RunError;
use paravent_pipeline::slice::SliceError;
use paravent_prepare::study::StudyError;
use paravent_tables::encode::ScanError;
use paravent_tables::read::ReadError;
use paravent_verify::VerifyError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The exception that a document describes.
pub(crate) fn raised(py: Python<'_>, document: &Value) -> PyErr {
    let made = py
        .import("paravent._errors")
        .and_then(|module| module.call_method1("from_document", (document.to_string(),)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An error without a Python to raise it in yet.
#[derive(Debug)]
pub(crate) struct Failed(pub(crate) Value);

impl Failed {
    /// A file or a table that cannot be read or written.
    pub(crate) fn input_output(message: impl std::fmt::Display) -> Failed {
        Failed(json!({ "kind": "input-output", "message": message.to_string() }))
    }

    /// Something that was asked for in a wrong way.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Failed {
        Failed(json!({ "kind": "usage", "message": message.to_string() }))
    }

    /// Somebody asked to stop.
    pub(crate) fn stopped() -> Failed {
        Failed(json!({ "kind": "stopped", "message": "stopped on request; nothing was written" }))
    }
}

impl From<Failed> for PyErr {
    fn from(failed: Failed) -> PyErr {
        Python::attach(|py| raised(py, &failed.0))
    }
}

impl From<Problems> for Failed {
    fn from(problems: Problems) -> Failed {
        let told: Vec<Value> = problems.iter().map(problem).collect();
        Failed(json!({ "kind": "configuration", "message": problems.to_string(), "problems": told }))
    }
}

fn problem(problem: &Problem) -> Value {
    let Problem { file, line, key, message, advice } = problem;
    json!({ "file": file.display().to_string(), "line": line, "key": key, "message": message, "advice": advice })
}

impl From<RunError> for Failed {
    fn from(error: RunError) -> Failed {
        let message = error.to_string();
        match error {
            RunError::Problems(problems) => problems.into(),
            RunError::Study(error) => error.into(),
            RunError::Infeasible { relaxations, complete } => Failed(json!({
                "kind": "infeasible", "message": message, "relaxations": relaxations, "complete": complete,
            })),
            RunError::Refuted(verification) => {
                Failed(json!({ "kind": "refuted", "message": message, "verification": verification }))
            }
            RunError::Stopped => Failed::stopped(),
            _ => Failed::input_output(message),
        }
    }
}

impl From<StudyError> for Failed {
    fn from(error: StudyError) -> Failed {
        match error {
            StudyError::Problems(problems) => problems.into(),
            StudyError::Scan(ScanError::Stopped) => Failed::stopped(),
            other => Failed::input_output(other),
        }
    }
}

impl From<LoadError> for Failed {
    fn from(error: LoadError) -> Failed {
        match error {
            LoadError::Problems(problems) => problems.into(),
            LoadError::Scan(ScanError::Stopped) => Failed::stopped(),
            LoadError::UnknownColumn { .. } | LoadError::TwoRoles { .. } => Failed::usage(error),
            LoadError::NoQuasiIdentifiers { .. } => {
                Failed::usage("which columns are quasi-identifiers? Give quasi_identifiers=[…] or a job")
            }
            other => Failed::input_output(other),
        }
    }
}

impl From<RiskError> for Failed {
    fn from(error: RiskError) -> Failed {
        match error {
            RiskError::Load(error) => error.into(),
            other => Failed::usage(other),
        }
    }
}

impl From<AttackError> for Failed {
    fn from(error: AttackError) -> Failed {
        match error {
            AttackError::Load(error) => error.into(),
            AttackError::Problems(problems) => problems.into(),
            other => Failed::usage(other),
        }
    }
}

impl From<SliceError> for Failed {
    fn from(error: SliceError) -> Failed {
        let message = error.to_string();
        match error {
            SliceError::Problems(problems) => problems.into(),
            SliceError::Request(_) => Failed::usage(message),
            SliceError::Refuted(verification) => {
                Failed(json!({ "kind": "refuted", "message": message, "verification": verification }))
            }
            _ => Failed(json!({ "kind": "not-kept", "message": message })),
        }
    }
}

impl From<NoiseError> for Failed {
    fn from(error: NoiseError) -> Failed {
        let message = error.to_string();
        match error {
            NoiseError::Problems(problems) => problems.into(),
            NoiseError::Request(_) => Failed::usage(message),
            NoiseError::Refuted(verification) => {
                Failed(json!({ "kind": "refuted", "message": message, "verification": verification }))
            }
            _ => Failed(json!({ "kind": "not-kept", "message": message })),
        }
    }
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Failed {
        Failed::input_output(error)
    }
}

impl From<InitError> for Failed {
    fn from(error: InitError) -> Failed {
        match error {
            InitError::Stopped => Failed::stopped(),
            other => Failed::input_output(other),
        }
    }
}

impl From<VerifyError> for Failed {
    fn from(error: VerifyError) -> Failed {
        Failed::input_output(error)
    }
}
