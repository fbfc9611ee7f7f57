//! `paravent check`

use super::{Session, run_error, summary};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, parameters, share, short};
use crate::progress::Progress;
use paravent_pipeline::check::{Checked, check};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent check patients.csv --job paravent.toml
  paravent check - --job paravent.toml < patients.csv

Neither generalizes nor suppresses: it measures the table as it is.";

/// Measure which promises a table keeps as it is; changes nothing
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table; `-` is standard input
    data: PathBuf,
    /// The job file with the roles of the columns and the promises
    #[arg(long, short, value_name = "JOB")]
    job: PathBuf,
    /// Let messages quote cells that have no place in a hierarchy
    #[arg(long)]
    show_values: bool,
}

/// Prints each promise.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let progress = Progress::start(session.quiet);
    let checked = check(&args.data, &args.job, args.show_values, &progress)
        .map_err(|error| run_error::failure(error.into(), &args.job))?;
    drop(progress);
    Ok(Answer::judged(checked.holds, text(&checked, args, session), json!(checked)))
}

fn text(checked: &Checked, args: &Args, session: &Session) -> String {
    let paint = session.paint;
    let mut facts = Columns::default();
    facts.row(["Rows", &count(checked.rows)]);
    facts.row([
        "Classes",
        &format!("{}, on average {} rows", count(checked.classes), short(checked.average_class)),
    ]);
    facts.row(["Smallest class", &counted(checked.smallest_class, "row")]);
    let unique = format!("{} ({})", count(checked.unique_rows), share(checked.unique_rows, checked.rows));
    facts.row(["Rows that are alone", &unique]);
    let mut promises = Columns::default();
    for promise in &checked.privacy {
        let verdict = match promise.facts.holds {
            true => "holds".to_owned(),
            false => format!(
                "BROKEN in {} with {}",
                counted(promise.violating_classes, "class"),
                counted(promise.violating_rows, "row")
            ),
        };
        let required = parameters(&promise.facts.required);
        promises.row([promise.facts.model, &required, "→", &parameters(&promise.facts.achieved), &verdict]);
    }
    let verdict = match checked.holds {
        true => paint.good("The table keeps every promise as it is."),
        false => paint.careful(
            "The table does not keep every promise as it is. `paravent anonymize` makes one that does.",
        ),
    };
    format!(
        "{}\n\n{}\n{}\n{}{}\n{verdict}\n",
        paint.strong(args.data.display()),
        facts.render(),
        paint.strong("Promises: required → found"),
        promises.render(),
        summary::warnings(&checked.warnings, paint),
    )
}
