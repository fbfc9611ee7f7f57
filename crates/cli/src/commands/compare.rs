//! `paravent compare`

use super::Session;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, grouped, parameters};
use paravent_pipeline::choose::{Compared, compare};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent compare release-k5 release-k10
  paravent anonymize paravent.toml --dry-run --json --set search.recoding=local > local.json
  paravent compare release local.json

A release whose private folder is beside it is compared in full, else by what was handed out.";

/// Compare two releases or two dry runs
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// A release, or what anonymize --json printed
    a: PathBuf,
    /// Another one
    b: PathBuf,
}

/// Prints both side by side.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let compared = compare(&args.a, &args.b).map_err(|error| Failure::input_output(error.to_string()))?;
    Ok(Answer::done(text(&compared, session), json!(compared)))
}

fn text(compared: &Compared, session: &Session) -> String {
    let mut sides = Columns::default();
    for (letter, side) in [("A", &compared.a), ("B", &compared.b)] {
        let what = format!("{}, {} recoding, least {}", side.kind, side.recoding, side.metric);
        sides.row([letter, &side.name, &what]);
        for promise in &side.promises {
            let model = promise["model"].as_str().unwrap_or_default();
            sides.row(["", &format!("{model}: {}", parameters(&promise["required"]))]);
        }
    }
    let mut figures = Columns::default();
    figures.row(["", "A", "B", ""]);
    for figure in &compared.figures {
        let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), grouped);
        let better =
            figure.better.map_or(String::new(), |better| format!("{} is better", better.to_uppercase()));
        figures.row([figure.name.clone(), number(figure.a), number(figure.b), better]);
    }
    let mut columns = String::new();
    for column in &compared.columns {
        let same = column.a == column.b;
        columns.push_str(&format!("  {}\n", column.column));
        match same {
            true => columns.push_str(&format!("    both: {}\n", column.a)),
            false => columns.push_str(&format!("    A: {}\n    B: {}\n", column.a, column.b)),
        }
    }
    let paint = session.paint;
    format!(
        "{}\n{}\n{}\n{}\n{columns}",
        sides.render(),
        paint.strong("Figures"),
        figures.render(),
        paint.strong("What is shown of each column"),
    )
}
