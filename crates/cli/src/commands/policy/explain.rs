//! `paravent policy explain`

use super::{effective, load};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::ask;
use crate::failure::Failure;
use paravent_policy::check_columns;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent policy explain policy.toml --as research --purpose statistics
  paravent policy explain policy.toml --as research --purpose statistics \"SELECT count(*) FROM patients\"

Nothing is run and no table is read. The guide is docs/guide/policy.md.";

/// Whose rights.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The policy file
    #[arg(value_name = "FILE")]
    policy: PathBuf,
    /// A question [default: what the recipient may do]
    #[arg(value_name = "SQL")]
    statement: Option<String>,
    /// The recipient
    #[arg(long = "as", value_name = "ROLE")]
    role: String,
    /// What for
    #[arg(long, value_name = "PURPOSE")]
    purpose: String,
}

/// Says what the recipient may do, or what would become of a question.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let policy = load(&args.policy)?;
    let jobs = check_columns(&policy).map_err(|problems| Failure::Configuration { problems })?;
    if let Some(statement) = &args.statement {
        return ask::explain(&policy, &args.role, &args.purpose, statement);
    }
    let asker = policy.asker(&args.role, &args.purpose).map_err(Failure::denied)?;
    let text = format!("{}\n{}", effective::title(&asker), effective::text(&policy, &asker, &jobs));
    Ok(Answer::done(text, effective::json(&policy, &asker, &jobs)))
}
