//! Why no noise is drawn, sorted by exit code.

use crate::commands::run_error;
use crate::failure::Failure;
use paravent_pipeline::noise::NoiseError;

/// What to tell.
pub(super) fn failure(error: NoiseError) -> Failure {
    match error {
        NoiseError::Problems(problems) => Failure::Configuration { problems },
        NoiseError::Scan(error) => run_error::of_scan(error),
        NoiseError::Write(error) => run_error::of_write(&error),
        NoiseError::Register(error) => run_error::of_register(&error),
        NoiseError::Book(error) => run_error::of_book(&error),
        NoiseError::Refuted(verification) => Failure::Refuted {
            violations: verification
                .violations()
                .map(|check| format!("{}: {}", check.name, check.detail))
                .collect(),
            verification: serde_json::json!(verification),
        },
        NoiseError::Key(_) | NoiseError::Unverifiable(_) | NoiseError::Secret(_) => {
            Failure::input_output(error.to_string())
        }
        // The noise, or what it would give away.
        other => Failure::Usage { message: other.to_string() },
    }
}
