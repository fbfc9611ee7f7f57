//! Why a run failed, sorted by exit code.

use crate::answer::Exit;
use crate::failure::Failure;
use paravent_pipeline::encode::ScanError;
use paravent_pipeline::engine::EngineError;
use paravent_pipeline::evidence::LoadError;
use paravent_pipeline::evidence::risk::RiskError;
use paravent_pipeline::init::InitError;
use paravent_pipeline::job::{Problem, Problems};
use paravent_pipeline::ledger::{BookError, LedgerError};
use paravent_pipeline::read::ReadError;
use paravent_pipeline::register::RegisterError;
use paravent_pipeline::run::RunError;
use paravent_pipeline::study::StudyError;
use paravent_pipeline::write::WriteError;
use std::path::Path;

/// What to tell when the job at `job` cannot be run.
pub fn failure(error: RunError, job: &Path) -> Failure {
    match error {
        RunError::Problems(problems) => of_problems(problems, job),
        RunError::Study(StudyError::Problems(problems)) => of_problems(problems, job),
        RunError::Study(StudyError::Scan(scan)) => of_scan(scan),
        RunError::Study(search @ StudyError::Search(_)) => {
            Failure::configuration(Problem::new(job, search.to_string()))
        }
        RunError::Infeasible { relaxations, complete } => Failure::Infeasible { relaxations, complete },
        RunError::Write(error) => of_write(&error),
        RunError::Refuted(verification) => Failure::Refuted {
            violations: verification
                .violations()
                .map(|check| format!("{}: {}", check.name, check.detail))
                .collect(),
            verification: serde_json::json!(verification),
        },
        RunError::Register(error) => of_register(&error),
        RunError::Stopped => Failure::Stopped,
        // An unreadable transformation or release, and all other errors.
        other => Failure::input_output(other.to_string()),
    }
}

/// What to tell when nothing was granted.
pub fn of_book(error: &BookError) -> Failure {
    let message = error.to_string();
    match error {
        BookError::File(LedgerError::Broken { .. } | LedgerError::Torn { .. })
        | BookError::Unreadable { .. } => Failure::Unkept { message, exit: Exit::NotMet },
        BookError::File(_) => Failure::input_output(message),
        _ => Failure::Usage { message },
    }
}

/// What to tell when the register of releases cannot be used.
pub fn of_register(error: &RegisterError) -> Failure {
    let message = error.to_string();
    let advice = match error {
        RegisterError::Broken { .. } => {
            let advice = "See `paravent register verify`. Put back the file as it was, or start a new one by moving it \
                          elsewhere, together with its releases";
            return Failure::Changed { message, advice: advice.to_owned() };
        }
        RegisterError::Lost { .. } => {
            let advice =
                "Put it back, or start a new one by moving the releases and their private folders elsewhere";
            return Failure::Changed { message, advice: advice.to_owned() };
        }
        RegisterError::Changed { sequence, .. } => {
            let advice = format!(
                "See `paravent register verify`. Put the files back as they were; or, if nobody has that release, \
                 `paravent register withdraw {sequence}`"
            );
            return Failure::Changed { message, advice };
        }
        RegisterError::WouldVanish { sequence, .. } => {
            let message = format!(
                "{message}. Write to another folder; or, if nobody has that release, take it back first with \
                 `paravent register withdraw {sequence}`; or let the new one have a line (no register = false, no --no-register)"
            );
            return Failure::Usage { message };
        }
        RegisterError::NoRelease { .. } => return Failure::Usage { message },
        RegisterError::Io { .. } => Some(
            "Make its folder writable, or write register = \"FILE\" (elsewhere) or register = false under [output] of \
             the job file",
        ),
        _ => None,
    };
    Failure::InputOutput { message, advice: advice.map(str::to_owned) }
}

/// What to tell when a table or a release cannot be looked at.
pub fn of_load(error: LoadError, job: Option<&Path>) -> Failure {
    match error {
        LoadError::Problems(problems) => match job {
            Some(job) => of_problems(problems, job),
            None => Failure::Configuration { problems },
        },
        LoadError::Scan(error) => of_scan(error),
        error @ (LoadError::AnotherKind { .. }
        | LoadError::UnknownColumn { .. }
        | LoadError::TwoRoles { .. }
        | LoadError::NoQuasiIdentifiers { .. }) => Failure::Usage { message: error.to_string() },
        other => Failure::input_output(other.to_string()),
    }
}

/// What to tell when a risk cannot be measured.
pub fn of_risk(error: RiskError, job: Option<&Path>) -> Failure {
    match error {
        RiskError::Load(error) => of_load(error, job),
        other => Failure::Usage { message: other.to_string() },
    }
}

/// A job file that cannot be opened is a matter of files, not of what is in it.
pub fn of_problems(problems: Problems, job: &Path) -> Failure {
    match problems.0.as_slice() {
        [Problem { file, line: None, key: None, message, advice }] if file == job && unreadable(job) => {
            Failure::InputOutput { message: format!("{}: {message}", file.display()), advice: advice.clone() }
        }
        _ => Failure::Configuration { problems },
    }
}

fn unreadable(path: &Path) -> bool {
    path.is_dir() || std::fs::File::open(path).is_err()
}

/// What to tell when a table cannot be read and coded.
pub fn of_scan(error: ScanError) -> Failure {
    match error {
        ScanError::Read(error) => of_read(&error),
        ScanError::Stopped => Failure::Stopped,
        ScanError::WrongType { ref path, ref column, expected, seen } => {
            let message = format!("column {column} is declared as {expected}, but this cell is not one");
            let problem = match seen.line {
                Some(line) => {
                    Problem::new(path, message).at_line(usize::try_from(line).unwrap_or(usize::MAX))
                }
                None => Problem::new(path, format!("row {}: {message}", seen.row)),
            };
            let advice = "Correct the cell, list its text in input.null if it stands for a missing value, or declare \
                          another type in the job file";
            Failure::configuration(problem.advise(advice))
        }
        other => Failure::input_output(other.to_string()),
    }
}

/// What to tell when a table cannot be read.
pub fn of_read(error: &ReadError) -> Failure {
    match error {
        ReadError::Engine { error: EngineError::Stopped, .. } => Failure::Stopped,
        ReadError::Engine { error: EngineError::OutcomeUnknown { .. }, .. } => Failure::Unknown {
            message: error.to_string(),
            advice: "If it is there without a folder that describes it, drop it, and run the job again"
                .to_owned(),
        },
        ReadError::NoSuchSheet { path, sheets } => {
            let advice = format!(
                "Its sheets are {}. Write e.g. sheet = {} under [input]; for init: --sheet NAME",
                sheets.join(", "),
                sheets.first().map_or("", String::as_str)
            );
            Failure::configuration(
                Problem::new(path, "the workbook has no sheet of that name").advise(advice),
            )
        }
        ReadError::Options { path, reason } => Failure::configuration(Problem::new(path, *reason)),
        other => Failure::input_output(other.to_string()),
    }
}

/// What to tell when nothing can be proposed for a table.
pub fn of_init(error: &InitError) -> Failure {
    match error {
        InitError::Read(error) => of_read(error),
        InitError::NoRows { path } => {
            Failure::configuration(Problem::new(path, "has no rows, so nothing can be proposed for it"))
        }
        InitError::NoHeader { path } => {
            let message = "the first row reads like data, not like names of columns";
            Failure::configuration(Problem::new(path, message).advise("Write a row of names above it"))
        }
        InitError::NothingToGeneralize { path } => {
            let message = "every column seems to identify a person alone, so nothing would be left";
            Failure::configuration(
                Problem::new(path, message).advise("Write a job file by hand if that is wrong"),
            )
        }
        other => Failure::input_output(other.to_string()),
    }
}

/// What to tell when a release cannot be written.
pub fn of_write(error: &WriteError) -> Failure {
    if let WriteError::Unsettled { .. } = error {
        let advice = "Look at the disk, then run `paravent verify` on it; the next run notes in the register what it finds";
        return Failure::Unknown { message: error.to_string(), advice: advice.to_owned() };
    }
    let advice = match error {
        WriteError::NotARelease { .. } | WriteError::NotADirectory { .. } => {
            Some("Write to another directory: --output DIR")
        }
        WriteError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            Some("The directory that holds the release must be there; create it first")
        }
        _ => None,
    };
    Failure::InputOutput { message: error.to_string(), advice: advice.map(str::to_owned) }
}
