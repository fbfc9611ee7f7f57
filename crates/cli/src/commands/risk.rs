//! `paravent risk`

mod text;

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::file;
use crate::progress::Progress;
use paravent_pipeline::evidence::risk::{RiskRequest, SamplingSpec, assess_risk};
use paravent_pipeline::report::render_risk;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent risk release
  paravent risk patients.csv --job paravent.toml
  paravent risk patients.csv --quasi-identifiers age,sex,zip --sensitive diagnosis
  paravent risk release --sampling-fraction 0.01 --html risk.html
  paravent risk release --population-table register.csv

Measures and changes nothing. Without a population the table is taken to be all of it.";

/// Put figures on what a table or a release gives away
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
    /// Columns that say whose row it is; figures then count people. Else those of the job, or of the release
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    person: Vec<String>,
    /// A risk above this is high
    #[arg(long, value_name = "RISK", default_value_t = 0.2)]
    threshold: f64,
    /// The table is this share of the population, for example 0.01
    #[arg(long, value_name = "SHARE", conflicts_with = "population")]
    sampling_fraction: Option<f64>,
    /// So many people are in the population
    #[arg(long, value_name = "PEOPLE")]
    population: Option<u64>,
    /// A table of the population with the same quasi-identifiers
    #[arg(long, value_name = "FILE")]
    population_table: Option<PathBuf>,
    /// Largest combinations of columns to look at
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..))]
    max_columns: u8,
    /// Write the figures as a page with drawings
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write risk.html and risk.json into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files that are there already
    #[arg(long, short)]
    force: bool,
}

/// Prints the figures that matter; the others are in the document and on the page.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let mut targets: Vec<PathBuf> = args.html.iter().cloned().collect();
    targets.extend(args.out.iter().flat_map(|folder| [folder.join("risk.html"), folder.join("risk.json")]));
    if let Some(taken) = targets.iter().find(|path| path.exists() && !args.force) {
        return Err(Failure::exists(taken));
    }
    let request = RiskRequest {
        job: args.job.clone(),
        quasi_identifiers: args.quasi_identifiers.clone(),
        sensitive: args.sensitive.clone(),
        person: args.person.clone(),
        threshold: args.threshold,
        sampling: args
            .sampling_fraction
            .map(SamplingSpec::Fraction)
            .or(args.population.map(SamplingSpec::Population)),
        population_table: args.population_table.clone(),
        largest_combination: usize::from(args.max_columns),
        ..RiskRequest::default()
    };
    let progress = Progress::start(session.quiet);
    let found = assess_risk(&args.data, &request, &progress)
        .map_err(|error| run_error::of_risk(error, args.job.as_deref()))?;
    drop(progress);
    let document = json!(found);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::input_output(format!("{}: {error}", folder.display())))?;
    }
    for path in &targets {
        let is_document =
            path.extension().is_some_and(|ending| ending == "json") && args.html.as_ref() != Some(path);
        let text = if is_document { format!("{document:#}\n") } else { render_risk(&found) };
        file::write(path, &text, args.force)?;
    }
    Ok(Answer::done(text::text(&found, &args.data, &targets, session.paint), document))
}
