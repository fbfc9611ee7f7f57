//! `paravent hierarchy`

mod build;
mod repair;
mod show;
mod table;
mod validate;

use crate::answer::Answer;
use crate::failure::Failure;
use clap::Subcommand;

/// A file each in `hierarchy/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write out a hierarchy for the values of a column
    Build(build::Args),
    /// Check that a file is a hierarchy, and that it covers a column
    Validate(validate::Args),
    /// Mend what can be mended in a hierarchy file, and add lines for values that have none
    Repair(repair::Args),
    /// Show the levels of a hierarchy file at a glance
    Show(show::Args),
}

/// Runs a command.
pub fn run(command: &Command) -> Result<Answer, Failure> {
    match command {
        Command::Build(args) => build::run(args),
        Command::Validate(args) => validate::run(args),
        Command::Repair(args) => repair::run(args),
        Command::Show(args) => show::run(args),
    }
}
