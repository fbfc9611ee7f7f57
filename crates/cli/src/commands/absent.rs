//! Commands that this program was built without.

use crate::answer::Answer;
use crate::failure::Failure;

/// Whatever is asked for is taken, so that the answer is how to get a program that can.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Whatever is asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _anything: Vec<String>,
}

/// Says what is missing, and how to build a program with it.
pub fn refused(missing: &str, options: &str) -> Result<Answer, Failure> {
    let message = format!(
        "this program was built without {missing}. Build it with: cargo build --release --package paravent-cli{options}"
    );
    Err(Failure::Usage { message })
}

/// The same for a command that needs the SQL engine.
///
/// # Errors
/// Always.
#[cfg(not(feature = "sql"))]
pub fn without_sql(_args: &Args) -> Result<Answer, Failure> {
    refused("SQL", " --features sql")
}
