//! `paravent anonymize`

use super::{Session, run_error, summary};
use crate::answer::{Answer, Exit};
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::progress::Progress;
use paravent_pipeline::run::{self, Finished, RunOptions};
use paravent_pipeline::write::Replace;
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent anonymize paravent.toml
  paravent anonymize paravent.toml --dry-run          look first, write nothing
  paravent anonymize paravent.toml --force            replace the release of an earlier run
  paravent anonymize paravent.toml --apply release --input new.csv --output release-new
  paravent anonymize paravent.toml --input - < patients.csv

The release may be handed out; DIR.private, which appears beside it, stays. Both appear complete
and verified, or not at all. If no release is possible, the nearest
changes of the job that make one possible are listed (exit code 3). A release that breaks a promise
together with an earlier one of the register is made, and said to be (exit code 6).";

/// Find the best release that keeps the promises of a job, write and verify it
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The job file
    job: PathBuf,
    /// Show the solution and alternatives; write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Replace a release that is there already
    #[arg(long, short)]
    force: bool,
    /// Repeat the transformation of an earlier release (its directory or its private folder) instead of searching for one
    #[arg(long, value_name = "RELEASE")]
    apply: Option<PathBuf>,
    /// Read this table instead of the job's; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write to this directory instead of the job's
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Sign the manifest with this secret key, instead of the paravent.key beside the job
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Let messages quote cells that have no place in a hierarchy
    #[arg(long)]
    show_values: bool,
}

/// Prints what was found and where it is.
pub fn run(args: Args, session: &Session) -> Result<Answer, Failure> {
    let options = RunOptions {
        replace: if args.force { Replace::Force } else { Replace::Refuse },
        show_values: args.show_values,
        input: args.input,
        output: args.output,
        apply: args.apply,
        sign: args.sign,
        ..RunOptions::default()
    };
    let progress = Progress::start(session.quiet);
    let run = if args.dry_run { run::dry_run } else { run::anonymize };
    let finished =
        run(&args.job, &options, &progress).map_err(|error| run_error::failure(error, &args.job))?;
    drop(progress);
    let mut answer = Answer::done(summary::text(&finished, session.paint), document(&finished));
    if let Some(register) = &finished.document.register
        && !register.broken_with().is_empty()
    {
        answer.exit = Exit::Together;
        answer.alarm = Some(summary::broken_together(register));
    }
    if let Some(unchanged) = finished.document.unchanged.as_ref().filter(|unchanged| unchanged.too_many()) {
        let alarm = summary::singles_out(unchanged);
        answer.alarm = Some(match answer.alarm {
            Some(other) => format!("{other}\n{alarm}"),
            None => alarm,
        });
    }
    Ok(answer)
}

/// The contract's document; a dry run adds the alternatives at its end.
fn document(finished: &Finished) -> Value {
    let mut document = json!(finished.document);
    if finished.release.is_none()
        && let Some(document) = document.as_object_mut()
    {
        document.insert("alternatives".to_owned(), json!(finished.alternatives));
    }
    document
}
