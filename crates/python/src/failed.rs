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
    let mut document = document.clone();
    if let Some(Value::String(message)) = document.get_mut("message") {
        *message = in_python(message);
    }
    let made = py
        .import("paravent._errors")
        .and_then(|module| module.call_method1("from_document", (document.to_string(),)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The same advice, in keywords instead of options of the command line.
fn in_python(message: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("say --job JOB", "give job=JOB"),
        ("use --force", "say force=True"),
        ("--output DIR", "save(\"DIR\")"),
        ("--seed NUMBER", "seed=NUMBER"),
        ("--quasi-identifiers", "quasi_identifiers"),
        ("--allow-unbounded", "allow_unbounded=True"),
        ("--allow-identifying", "allow_identifying=True"),
        ("List them with --dry-run", "List them with dry_run(table)"),
        ("--node:", "node:"),
    ];
    WORDS.iter().fold(message.to_owned(), |text, (option, keyword)| text.replace(option, keyword))
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
            StudyError::Scan(error) => error.into(),
            other => Failed::input_output(other),
        }
    }
}

impl From<ScanError> for Failed {
    fn from(error: ScanError) -> Failed {
        match error {
            ScanError::Stopped => Failed::stopped(),
            ScanError::Read(error) => error.into(),
            ScanError::WrongType { path, column, expected, seen } => {
                let message = format!("column {column} is declared as {expected}, but this cell is not one");
                let problem = match seen.line {
                    Some(line) => {
                        Problem::new(&path, message).at_line(usize::try_from(line).unwrap_or(usize::MAX))
                    }
                    None => Problem::new(&path, format!("row {}: {message}", seen.row)),
                };
                let advice = "Correct the cell, list its text in input.null if it stands for a missing value, or declare \
                              another type in the job file";
                Problems::from(problem.advise(advice)).into()
            }
            other => Failed::input_output(other),
        }
    }
}

impl From<LoadError> for Failed {
    fn from(error: LoadError) -> Failed {
        match error {
            LoadError::Problems(problems) => problems.into(),
            LoadError::Scan(error) => error.into(),
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
            SliceError::Scan(error) => error.into(),
            SliceError::Write(_)
            | SliceError::Key(_)
            | SliceError::Secret(_)
            | SliceError::Unverifiable(_) => Failed::input_output(message),
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
            NoiseError::Scan(error) => error.into(),
            NoiseError::Write(_)
            | NoiseError::Key(_)
            | NoiseError::Secret(_)
            | NoiseError::Unverifiable(_) => Failed::input_output(message),
            NoiseError::Refuted(verification) => {
                Failed(json!({ "kind": "refuted", "message": message, "verification": verification }))
            }
            _ => Failed(json!({ "kind": "not-kept", "message": message })),
        }
    }
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Failed {
        match error {
            ReadError::Options { path, reason } => Problems::from(Problem::new(path, reason)).into(),
            other => Failed::input_output(other),
        }
    }
}

impl From<InitError> for Failed {
    fn from(error: InitError) -> Failed {
        match error {
            InitError::Stopped => Failed::stopped(),
            InitError::Read(error) => error.into(),
            other => Failed::input_output(other),
        }
    }
}

impl From<VerifyError> for Failed {
    fn from(error: VerifyError) -> Failed {
        Failed::input_output(error)
    }
}
