//! Why a table is not sliced, sorted by exit code.

use crate::answer::Exit;
use crate::commands::run_error;
use crate::failure::Failure;
use paravent_pipeline::slice::SliceError;

/// What to tell.
pub(crate) fn failure(error: SliceError) -> Failure {
    match error {
        SliceError::Problems(problems) => Failure::Configuration { problems },
        SliceError::Scan(error) => run_error::of_scan(error),
        SliceError::Write(error) => run_error::of_write(&error),
        SliceError::Register(error) => run_error::of_register(&error),
        SliceError::NoClasses { .. } => {
            Failure::Unkept { message: error.to_string(), exit: Exit::Infeasible }
        }
        SliceError::Refuted(verification) => Failure::Refuted {
            violations: verification
                .violations()
                .map(|check| format!("{}: {}", check.name, check.detail))
                .collect(),
            verification: serde_json::json!(verification),
        },
        SliceError::Key(_) | SliceError::Unverifiable(_) | SliceError::Secret(_) => {
            Failure::input_output(error.to_string())
        }
        // The groups, the buckets, or what they would give away.
        other => Failure::Usage { message: other.to_string() },
    }
}
