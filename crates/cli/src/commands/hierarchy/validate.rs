//! `paravent hierarchy validate`

use super::table::{Covered, Stored};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::{Failure, problem_json};
use paravent_pipeline::hierarchies::commands::{Validation, validate};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent hierarchy validate hierarchies/age.csv
  paravent hierarchy validate hierarchies/age.csv --data patients.csv --column age";

/// Check that a file is a hierarchy, and that it covers a column
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The hierarchy file: value;level 1;…;* on each line
    file: PathBuf,
    #[command(flatten)]
    covered: Covered,
    #[command(flatten)]
    stored: Stored,
}

/// Prints what the file is like.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let lines = args.stored.lines(&args.file)?;
    let column = args.stored.column_of(&args.covered)?;
    let found = validate(&lines, column.as_ref());
    let mut text = found.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Answer::judged(found.is_valid(), text, document(&found)))
}

fn document(found: &Validation) -> Value {
    let problems: Vec<Value> = found.problems.iter().map(problem_json).collect();
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    let coverage = found.coverage.as_ref().map(|coverage| {
        json!({
            "column": coverage.column,
            "values": coverage.values,
            "without_line": coverage.without_line,
            "missing_stays": coverage.missing_stays,
            "unused_lines": coverage.unused_lines,
        })
    });
    json!({
        "valid": found.is_valid(),
        "file": found.path.display().to_string(),
        "lines": found.lines,
        "heights": found.heights.keys().collect::<Vec<_>>(),
        "labels": found.leaves,
        "coverage": coverage,
        "problems": problems,
        "warnings": warnings,
    })
}
