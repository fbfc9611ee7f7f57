//! `paravent check`

use super::{Session, run_error, summary};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::args::setting;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, parameters, share, short};
use crate::progress::Progress;
use paravent_pipeline::check::{Checked, CheckedJob, check, check_job};
use paravent_pipeline::job::Setting;
use paravent_pipeline::study::StudyError;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent check patients.csv --job paravent.toml
  paravent check - --job paravent.toml < patients.csv
  paravent check --job-only --job paravent.toml       the job alone; its table need not be there

Neither generalizes nor suppresses: it measures the table as it is.";

/// Measure which promises a table keeps as it is; changes nothing
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table; `-` is standard input
    #[arg(required_unless_present = "job_only", conflicts_with = "job_only")]
    data: Option<PathBuf>,
    /// The job file with the roles of the columns and the promises
    #[arg(long, short, value_name = "JOB")]
    job: PathBuf,
    /// Check the job and the hierarchies it names, without a table
    #[arg(long)]
    job_only: bool,
    /// Let a key of the job say something else, as in privacy.models[0].k=10
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<Setting>,
    /// Let messages quote cells that have no place in a hierarchy
    #[arg(long)]
    show_values: bool,
}

/// Prints each promise.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let failed = |error: StudyError| run_error::failure(error.into(), &args.job);
    let Some(data) = &args.data else {
        let checked = check_job(&args.job, &args.settings).map_err(failed)?;
        return Ok(Answer::done(job_text(&checked, args, session), json!(checked)));
    };
    let progress = Progress::start(session.quiet);
    let checked = check(data, (&args.job, &args.settings), args.show_values, &progress).map_err(failed)?;
    drop(progress);
    Ok(Answer::judged(checked.holds, text(&checked, data, session), json!(checked)))
}

fn job_text(checked: &CheckedJob, args: &Args, session: &Session) -> String {
    let CheckedJob { attributes, hierarchies, models, .. } = checked;
    format!(
        "{}\n  {}, {}, {}\nNo problem was found in the job; its table was not looked at.\n",
        session.paint.strong(args.job.display()),
        counted(*attributes as u64, "attribute"),
        match hierarchies {
            1 => "1 hierarchy".to_owned(),
            many => format!("{many} hierarchies"),
        },
        models.join(", "),
    )
}

fn text(checked: &Checked, data: &Path, session: &Session) -> String {
    let paint = session.paint;
    let mut facts = Columns::default();
    let members = |number: u64| match (checked.people, number) {
        (None, _) => counted(number, "row"),
        (Some(_), 1) => "1 person".to_owned(),
        (Some(_), many) => format!("{} people", count(many)),
    };
    facts.row(["Rows", &count(checked.rows)]);
    let whose = if checked.people.is_some() { "people" } else { "rows" };
    if let Some(people) = checked.people {
        facts.row(["People", &format!("{}, class sizes count them", count(people))]);
    }
    facts.row([
        "Classes",
        &format!("{}, on average {} {whose}", count(checked.classes), short(checked.average_class)),
    ]);
    facts.row(["Smallest class", &members(checked.smallest_class)]);
    // Who has several rows may be alone in several classes.
    let (alone, of) = match checked.people {
        None => ("Rows that are alone", checked.rows),
        Some(_) => ("Classes of one person", checked.classes),
    };
    facts.row([alone, &format!("{} ({})", count(checked.unique_rows), share(checked.unique_rows, of))]);
    let mut promises = Columns::default();
    for promise in &checked.privacy {
        let verdict = match promise.facts.holds {
            true => "holds".to_owned(),
            false => format!(
                "BROKEN in {} with {}",
                counted(promise.violating_classes, "class"),
                members(promise.violating_rows)
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
        paint.strong(data.display()),
        facts.render(),
        paint.strong("Promises: required → found"),
        promises.render(),
        summary::warnings(&checked.warnings, paint),
    )
}
