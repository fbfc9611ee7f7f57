//! `paravent measure distance`

use super::super::run_error;
use super::usage;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, short};
use paravent_evidence::information::transport::{on_a_line, work};
use paravent_pipeline::evidence::measure::{number, read_matrix};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent measure distance amounts.csv                        places are numbers on a line
  paravent measure distance amounts.csv --ground distances.csv any distance that is a metric

amounts.csv           distances.csv
  place,before,after    place,a,b
  0,1,0                 a,0,2
  1,0,1                 b,2,0";

/// The earth mover's distance of two distributions, in the units of the ground distance
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// A line per place: its name, the amount before, the amount after
    amounts: PathBuf,
    /// Distances of the places, a line and a column per place
    #[arg(long, value_name = "FILE")]
    ground: Option<PathBuf>,
}

/// Prints the work.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let amounts = read_matrix(&args.amounts).map_err(|error| run_error::of_load(error, None))?;
    let at = |fault: String| usage(format!("{}: {fault}", args.amounts.display()));
    if amounts.columns.len() != 2 {
        return Err(at("three columns are wanted: place, before, after".to_owned()));
    }
    let ground = match &args.ground {
        Some(path) => {
            let ground = read_matrix(path).map_err(|error| run_error::of_load(error, None))?;
            if ground.rows != amounts.rows || ground.columns != amounts.rows {
                let fault = format!("its rows and columns are not the places of {}", args.amounts.display());
                return Err(usage(format!("{}: {fault}, in the same order", path.display())));
            }
            ground.values
        }
        None => {
            let places: Option<Vec<f64>> = amounts.rows.iter().map(|place| number(place)).collect();
            let places =
                places.ok_or_else(|| at("places that are no numbers need --ground FILE".to_owned()))?;
            on_a_line(&places)
        }
    };
    let side = |column: usize| -> Vec<f64> { amounts.values.iter().map(|row| row[column]).collect() };
    let found = work(&side(0), &side(1), &ground).map_err(|error| at(error.to_string()))?;
    let mut table = Columns::default();
    table.row(["work", &short(found.work)]);
    table.row(["per unit", &short(found.mean)]);
    table.row([
        "by the longest way",
        &short(found.normalised),
        "0: equal, 1: everything moves as far as possible",
    ]);
    for &(from, to, moved) in &found.moves {
        table.row(["moved", &short(moved), &format!("from {} to {}", amounts.rows[from], amounts.rows[to])]);
    }
    Ok(Answer::done(table.render(), json!(found)))
}
