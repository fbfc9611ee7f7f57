//! `paravent noise`

use super::one_line::{self, Files, quoted};
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  paravent noise patients.csv --column sex=0.2 --output noisy.csv
  paravent noise patients.csv --column \"sex=0.2:uniform('f', 'm')\" --column zip=0.1:learnt --output noisy.csv
  paravent noise patients.csv --column \"grade=0.3:steps((-1, 0.5), (1, 0.5), domain => ('low', 'middle', 'high'))\" --output noisy.csv

With probability P a cell is redrawn, else it stays; how much that protects is printed as ε.
With --job, identifying columns are left out, and a quasi-identifier that would stay as it is ends
the command unless the job says release = \"as it is\" for it.";

/// Redraw cells of a table with a known probability
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// A column, how likely its cells are redrawn, and from which distribution; may be given several times
    #[arg(long, value_name = "NAME=P[:DISTRIBUTION]", required = true, value_parser = column)]
    column: Vec<Column>,
}

#[derive(Debug, Clone)]
struct Column {
    name: String,
    probability: String,
    distribution: Option<String>,
}

fn column(text: &str) -> Result<Column, String> {
    let Some((name, rest)) = text.split_once('=') else {
        return Err("write NAME=P, such as sex=0.2".to_owned());
    };
    let (probability, distribution) = match rest.split_once(':') {
        Some((probability, distribution)) => (probability, Some(distribution.to_owned())),
        None => (rest, None),
    };
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/');
    match !probability.is_empty() && probability.chars().all(number) {
        true => Ok(Column { name: name.to_owned(), probability: probability.to_owned(), distribution }),
        false => Err(format!("{probability:?} is no probability; write a number from 0 to 1")),
    }
}

/// Writes the noisy table.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    one_line::run(&args.files, session, |sql, table| {
        sql.release_nothing_exact();
        statement(args, table)
    })
}

fn statement(args: &Args, table: &str) -> String {
    let columns: Vec<String> = args
        .column
        .iter()
        .map(|column| {
            let law = column.distribution.as_ref().map_or_else(String::new, |law| format!(", {law}"));
            format!("({}, {}{law})", quoted(&column.name), column.probability)
        })
        .collect();
    format!("SELECT * FROM randomize({table}, columns => ({}))", columns.join(", "))
}
