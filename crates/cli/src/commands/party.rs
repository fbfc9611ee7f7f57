//! `paravent party`

mod joint;
mod models;
mod simulate;

use super::Session;
use crate::answer::Answer;
use crate::failure::Failure;
use clap::Subcommand;

/// A file each in `party/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Split a job's table, let several parties in one process anonymize it together, and see what it costs
    Simulate(simulate::Args),
}

/// Runs a command.
pub fn run(command: &Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::Simulate(args) => simulate::run(args, session),
    }
}
