//! Why a party does not get what it asked for, sorted by exit code.

use crate::commands::run_error;
use crate::failure::Failure;
use paravent_joint::JointError;

/// What to tell.
pub fn of(error: JointError) -> Failure {
    match error {
        JointError::Usage(message) => Failure::Usage { message },
        JointError::Problems(problems) => Failure::Configuration { problems },
        JointError::Run { job, source } => run_error::failure(*source, &job),
        JointError::Register(error) => run_error::of_register(&error),
        JointError::File { message, advice } => Failure::InputOutput { message, advice },
        JointError::Exists(path) => Failure::InputOutput {
            message: format!("{}: is there already", path.display()),
            advice: Some("Name another file: none is replaced here".to_owned()),
        },
        JointError::Ended { message, advice } => Failure::InputOutput { message, advice: Some(advice) },
        JointError::Unknown { message, advice } => Failure::Unknown { message, advice },
        JointError::Infeasible { relaxations } => Failure::Infeasible { relaxations, complete: true },
        JointError::Stopped => Failure::Stopped,
        other => Failure::input_output(other.to_string()),
    }
}
