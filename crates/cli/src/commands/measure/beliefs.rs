//! `paravent measure beliefs`

use super::super::{Session, run_error};
use super::usage;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, short};
use crate::progress::Progress;
use paravent_pipeline::evidence::measure::read_prior;
use paravent_pipeline::evidence::risk::{BeliefsError, ColumnBeliefs, Prior, RiskRequest, assess_beliefs};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent measure beliefs release                                   who knows the whole column only
  paravent measure beliefs release --prior doctor.csv --exclude flu  one who knows more
  paravent measure beliefs release --prior ann.csv --prior bob.csv   two who put their knowledge together

doctor.csv:
  value,probability
  flu,0.2
  asthma,0.8

Values that are not named have probability 0.";

/// What somebody believes before and after: prior, whole column, class
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// A table, or the directory of a release
    #[arg(value_name = "DATA|RELEASE_DIR")]
    data: PathBuf,
    /// A job file that says what the columns of a table are
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
    /// Columns that others may know of a person
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    quasi_identifiers: Vec<String>,
    /// Columns that nobody should learn
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// What an attacker believes before; repeated: several attackers together
    #[arg(long, value_name = "FILE")]
    prior: Vec<PathBuf>,
    /// Values that are ruled out
    #[arg(long, value_name = "VALUE,…", value_delimiter = ',')]
    exclude: Vec<String>,
}

/// Prints the strongest changes of belief.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let request = RiskRequest {
        job: args.job.clone(),
        quasi_identifiers: args.quasi_identifiers.clone(),
        sensitive: args.sensitive.clone(),
        ..RiskRequest::default()
    };
    let mut prior = Prior { attackers: Vec::new(), excluded: args.exclude.clone() };
    for path in &args.prior {
        prior.attackers.push(read_prior(path).map_err(|error| run_error::of_load(error, None))?);
    }
    let progress = Progress::start(session.quiet);
    let found = assess_beliefs(&args.data, &request, &prior, &progress).map_err(|error| match error {
        BeliefsError::Risk(error) => run_error::of_risk(error, args.job.as_deref()),
        other => usage(other),
    })?;
    drop(progress);
    if found.is_empty() {
        return Err(usage("no column is sensitive; say --sensitive COLUMN"));
    }
    let text = found.iter().map(|column| text(column, session)).collect();
    Ok(Answer::done(text, json!({ "sensitive": found })))
}

fn percent(share: f64) -> String {
    format!("{} %", short((share * 10_000.0).round() / 100.0))
}

fn text(found: &ColumnBeliefs, session: &Session) -> String {
    // Class, value, and how far the belief after the class is above the one before it.
    let mut changes: Vec<(f64, usize, usize, f64)> = Vec::new();
    for (number, class) in found.classes.iter().enumerate() {
        let Some(posterior) = &class.posterior else { continue };
        changes.extend(
            posterior
                .iter()
                .enumerate()
                .map(|(value, &after)| (after - found.prior[value], number, value, after)),
        );
    }
    changes.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut table = Columns::default();
    table.row(["class", "value", "before", "whole column", "after the class"]);
    for &(_, class, value, after) in changes.iter().take(5) {
        table.row([
            found.labels[class].join(", "),
            found.values[value].clone(),
            percent(found.prior[value]),
            percent(found.overall[value]),
            percent(after),
        ]);
    }
    let contradicted = found.classes.iter().filter(|class| class.posterior.is_none()).count() as u64;
    let note = match contradicted {
        0 => String::new(),
        n => format!("  {} classes show no value that is believed possible\n", count(n)),
    };
    format!("{}\n{}{note}", session.paint.strong(&found.column), table.render())
}
