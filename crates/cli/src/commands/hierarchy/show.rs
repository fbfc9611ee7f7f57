//! `paravent hierarchy show`

use super::table::{Covered, Stored, configuration};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_core::hierarchy::Hierarchy;
use paravent_pipeline::hierarchies::commands::{Labels, Shown, show};
use paravent_pipeline::job::Problem;
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent hierarchy show hierarchies/age.csv
  paravent hierarchy show hierarchies/age.csv --data patients.csv --column age";

/// Show the levels of a hierarchy file at a glance
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The hierarchy file
    file: PathBuf,
    #[command(flatten)]
    covered: Covered,
    #[command(flatten)]
    stored: Stored,
}

/// Prints a line per level.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let table = args.stored.lines(&args.file)?.table().map_err(configuration)?;
    let column = args.stored.column_of(&args.covered)?;
    let values = column.as_ref().map(|column| column.values()).unwrap_or_default();
    // The labels were written down by somebody; a sample leaves out the values themselves.
    let shown = show(&Hierarchy::Table(table), &values, Labels::Shown)
        .map_err(|error| Failure::configuration(Problem::new(&args.file, error.to_string())))?;
    Ok(Answer::done(format!("{shown}\n"), document(&shown)))
}

fn document(shown: &Shown) -> Value {
    let levels: Vec<Value> = shown
        .levels
        .iter()
        .map(|level| {
            json!({
                "level": level.level,
                "groups": level.groups,
                "smallest": level.smallest,
                "average": level.average,
                "largest": level.largest,
                "labels": level.sample,
            })
        })
        .collect();
    json!({ "values": shown.values, "without_place": shown.without_place, "levels": levels })
}
