//! `paravent measure consent`

use super::super::{Session, run_error};
use super::usage;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, share};
use crate::progress::Progress;
use paravent_evidence::information::consent::{Consent, Use, coverage};
use paravent_pipeline::evidence::measure::read_consents;
use paravent_pipeline::evidence::{Roles, TableSource, load_table};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  paravent measure consent patients.csv --person patient_id --columns age,diagnosis \\
           --consents consents.csv --purpose research --on 2024-06-30

consents.csv:
  person,purpose,from,until,column
  p17,research,2024-01-01,2024-12-31,       all columns
  p18,research,,,age                        for good, but age only";

/// How much of what is used do people agree to?
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table
    data: PathBuf,
    /// The column that names the person
    #[arg(long, value_name = "COLUMN")]
    person: String,
    /// The columns that are used
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', required = true)]
    columns: Vec<String>,
    /// The consents: person, purpose, and where wanted from, until, column
    #[arg(long, value_name = "FILE")]
    consents: PathBuf,
    /// For what the table is used
    #[arg(long, value_name = "TEXT")]
    purpose: String,
    /// When, as 2024-06-30
    #[arg(long, value_name = "DAY")]
    on: String,
}

/// Prints the shares.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let is_day = args.on.len() == 10
        && args.on.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_day {
        return Err(usage("--on needs a day as 2024-06-30"));
    }
    let lines = read_consents(&args.consents).map_err(|error| run_error::of_load(error, None))?;
    let mut names = vec![args.person.clone()];
    names.extend(args.columns.iter().cloned());
    let progress = Progress::start(session.quiet);
    let roles = Roles::of_names(&names, &[]).map_err(|error| run_error::of_load(error, None))?;
    let table = load_table(&TableSource::File(&args.data), &roles, &progress)
        .map_err(|error| run_error::of_load(error, None))?
        .data;
    drop(progress);
    let cells = |place: usize| {
        let column = &table.columns()[place];
        column.codes().iter().map(move |&code| column.cell(code))
    };
    let used = Use {
        persons: cells(0).collect(),
        columns: (1..names.len())
            .map(|at| (names[at].as_str(), cells(at).map(|cell| cell.is_some()).collect()))
            .collect(),
        purpose: &args.purpose,
        day: &args.on,
    };
    let consents: Vec<Consent<'_>> = lines
        .iter()
        .map(|line| Consent {
            person: &line.person,
            purpose: &line.purpose,
            from: line.from.as_deref(),
            until: line.until.as_deref(),
            column: line.column.as_deref(),
        })
        .collect();
    let found = coverage(&used, &consents);
    let mut shown = Columns::default();
    let mut row = |name: &str, covered: u64, all: u64| {
        shown.row([name, &share(covered, all), &format!("{} of {}", count(covered), count(all))]);
    };
    row("people", found.people_covered, found.people);
    row("rows", found.rows_covered, found.rows);
    row("cells", found.cells_covered, found.cells);
    for (name, covered, all) in &found.columns {
        row(&format!("cells of {name}"), *covered, *all);
    }
    Ok(Answer::done(shown.render(), json!(found)))
}
