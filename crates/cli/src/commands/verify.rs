//! `paravent verify`

use super::Session;
use crate::answer::Answer;
use crate::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count};
use paravent_verify::{Outcome, VerifyError, verify};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent verify release
  paravent verify release --json | jq .holds

Reads the data file, manifest.json and transform.json, and computes every criterion afresh.";

/// Check a finished release from its files alone
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Directory of the release
    #[arg(value_name = "RELEASE_DIR")]
    release: PathBuf,
}

/// Prints each check.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let verification = verify(&args.release).map_err(|error| unexaminable(args, &error))?;
    let paint = session.paint;
    let mut checks = Columns::default();
    for check in &verification.checks {
        let mark = match check.outcome {
            Outcome::Held => "held    ",
            Outcome::Violated => "VIOLATED",
        };
        let name = match &check.subject {
            Some(subject) => format!("{} ({subject})", check.name),
            None => check.name.clone(),
        };
        checks.row([mark.to_owned(), name, check.detail.clone()]);
    }
    let listed = checks.render().replace("  held    ", &format!("  {}    ", paint.good("held")));
    let listed = listed.replace("  VIOLATED", &format!("  {}", paint.bad("VIOLATED")));
    let rows = count(verification.rows);
    // A sliced release has no classes, and not all it promises can be seen in its files.
    let classes = match verification.classes {
        0 => String::new(),
        classes => format!(" in {} classes", count(classes)),
    };
    let on_trust = verification.checks.iter().any(|check| check.name == "trust");
    let verdict = match verification.violations().count() {
        0 if on_trust => {
            let seen = verification.checks.len() - 1;
            paint.good(format!(
                "Everything that the files can show holds: {seen} checks. The rest is taken on trust."
            ))
        }
        0 => paint.good(format!("Every promise holds: {} checks.", verification.checks.len())),
        1 => paint.bad("The release is not as promised: 1 check is violated."),
        n => paint.bad(format!("The release is not as promised: {n} checks are violated.")),
    };
    let title = paint.strong(args.release.display());
    let text = format!("{title}: {rows} rows{classes}\n\n{listed}\n{verdict}\n");
    Ok(Answer::judged(verification.holds(), text, json!(verification)))
}

fn unexaminable(args: &Args, error: &VerifyError) -> Failure {
    if !args.release.is_dir() {
        let message = format!("{}: no such release directory", args.release.display());
        return Failure::input_output(message);
    }
    Failure::input_output(format!("{}: the release cannot be examined: {error}", args.release.display()))
}
