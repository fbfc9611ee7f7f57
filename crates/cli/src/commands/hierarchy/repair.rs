//! `paravent hierarchy repair`

use super::table::{Covered, Stored, configuration};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_pipeline::hierarchies::Existing;
use paravent_pipeline::hierarchies::commands::repair;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent hierarchy repair age.csv --dry-run
  paravent hierarchy repair age.csv --data patients.csv --column age
  paravent hierarchy repair age.csv --output age-mended.csv

Pads short lines, drops repeated ones, relabels by majority, and adds a line for each value of
the column that has none. What has no clear answer is left to you; then nothing is written.";

/// Mend what can be mended in a hierarchy file, and add lines for values that have none
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The hierarchy file
    file: PathBuf,
    #[command(flatten)]
    covered: Covered,
    #[command(flatten)]
    stored: Stored,
    /// Write here instead of into the file itself; `-` prints it
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it is there already
    #[arg(long, short, requires = "output")]
    force: bool,
    /// Say what would be changed; write nothing
    #[arg(long, short = 'n', conflicts_with = "output")]
    dry_run: bool,
}

/// Prints the changes.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let lines = args.stored.lines(&args.file)?;
    let column = args.stored.column_of(&args.covered)?;
    let repaired = repair(&lines, column.as_ref()).map_err(configuration)?;
    let changes: Vec<String> = repaired.changes.iter().map(ToString::to_string).collect();
    let document = |written: Option<&Path>| {
        let written = written.map(|path| path.display().to_string());
        json!({ "file": args.file.display().to_string(), "changes": changes, "written": written })
    };
    let told = format!("{repaired}\n");
    let (target, existing) = match &args.output {
        Some(output) if output == Path::new("-") => {
            let mut json = document(None);
            json["text"] = json!(repaired.text().0);
            return Ok(Answer::of_text(repaired.text().0, json));
        }
        Some(output) if args.force => (output, Existing::Replace),
        Some(output) if output.exists() => return Err(Failure::exists(output)),
        Some(output) => (output, Existing::Keep),
        None if args.dry_run || changes.is_empty() => return Ok(Answer::done(told, document(None))),
        None => (&args.file, Existing::Replace),
    };
    repaired.text().write(target, existing).map_err(|problem| Failure::input_output(problem.to_string()))?;
    Ok(Answer::done(format!("{told}Wrote {}\n", target.display()), document(Some(target))))
}
