//! `paravent`, the command-line program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(paravent_cli::run(std::env::args_os().collect()))
}
