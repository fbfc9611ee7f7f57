//! `paravent policy`

mod attack;
mod check;
mod effective;
mod explain;
mod init;

use crate::answer::Answer;
use crate::commands::{Session, run_error};
use crate::failure::Failure;
use clap::Subcommand;
use paravent_policy::Policy;
use std::path::Path;

/// Who may ask what about whom.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Propose a policy for jobs: noisy counts by quasi-identifiers, and nothing else
    Init(init::Args),
    /// Tell every problem of a policy at once, rules without effect, and what everybody may do
    Check(check::Args),
    /// Say what a recipient may do, or what would become of a question, without running it
    Explain(explain::Args),
    /// Try the known attack queries against a policy: which are refused, which are harmless, which leave a hole
    Attack(attack::Args),
}

/// Runs a command.
pub fn run(command: &Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::Init(args) => init::run(args, session),
        Command::Check(args) => check::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Attack(args) => attack::run(args),
    }
}

/// Reads a policy.
pub fn load(path: &Path) -> Result<Policy, Failure> {
    Policy::load(path).map_err(|problems| run_error::of_problems(problems, path))
}
