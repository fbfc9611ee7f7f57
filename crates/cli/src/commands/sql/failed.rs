//! Why a statement has no answer, sorted by exit code.

use crate::answer::Exit;
use crate::commands::run_error;
use crate::failure::Failure;
use paravent_algebra::error::AlgebraError;

/// What to tell.
pub fn failure(error: AlgebraError) -> Failure {
    match error {
        AlgebraError::Read(error) => run_error::of_read(&error),
        AlgebraError::Problems(problems) => Failure::Configuration { problems },
        AlgebraError::Infeasible(message) => Failure::Unkept { message, exit: Exit::Infeasible },
        AlgebraError::NotKept(message) => Failure::Unkept { message, exit: Exit::NotMet },
        AlgebraError::Ledger(error) => run_error::of_book(&error),
        AlgebraError::Internal => Failure::internal(),
        // The statement, or what it asks of the data.
        other => Failure::Usage { message: other.to_string() },
    }
}
