//! `paravent policy attack`

use super::load;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::ask;
use crate::failure::Failure;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent policy attack policy.toml --as research --purpose statistics

Nothing is run, no table is read and nothing is paid. Exit code 1 says that the policy leaves a hole, and the answer says which demand closes it.
The guide is docs/guide/policy.md.";

/// Against whom.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The policy file
    #[arg(value_name = "FILE")]
    policy: PathBuf,
    /// The recipient
    #[arg(long = "as", value_name = "ROLE")]
    role: String,
    /// What for
    #[arg(long, value_name = "PURPOSE")]
    purpose: String,
}

/// Tries the known attacks.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    ask::attack(&load(&args.policy)?, &args.role, &args.purpose)
}
