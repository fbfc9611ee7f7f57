//! What the commands with one operator have in common.

use super::failed::failure;
use super::show;
use super::tables::Settings;
use crate::answer::Answer;
use crate::commands::Session;
use crate::failure::Failure;
use crate::file;
use crate::layout::counted;
use paravent_algebra::session::{Session as Sql, name_of};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where the table comes from, and where the result goes.
#[derive(Debug, clap::Args)]
pub struct Files {
    /// The table
    pub table: PathBuf,
    /// Where to write the result (.csv or .tsv); `-` prints it as CSV
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub settings: Settings,
}

/// A name as a statement writes it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.trim().replace('"', "\"\""))
}

/// Reads the table, runs the statement that is made for its name, and writes the whole result or nothing.
pub fn run(
    files: &Files,
    session: &Session,
    statement: impl FnOnce(&mut Sql, &str) -> String,
) -> Result<Answer, Failure> {
    let delimiter = delimiter(&files.output)?;
    let printed = files.output.as_os_str() == "-";
    if !printed && !files.force && files.output.exists() {
        return Err(Failure::exists(&files.output));
    }
    let mut sql = files.settings.open()?;
    let name = match files.table.as_os_str() == "-" {
        true => "standard_input".to_owned(),
        false => name_of(&files.table),
    };
    sql.register_file(Some(&name), &files.table).map_err(failure)?;
    files.settings.lower_budget(&mut sql)?;
    // The whole table is asked for, and it is in memory already.
    sql.set("answer", &sql.settings().limits.memory.to_string()).map_err(failure)?;
    let statement = statement(&mut sql, &quoted(&name));
    let rows = sql.run(&statement).map_err(failure)?;
    let text = show::csv(&rows.columns(), &rows.cells().map_err(failure)?, delimiter);
    let json = json!({
        "output": files.output.display().to_string(),
        "rows": rows.rows(),
        "operators": rows.accounts,
        "notes": rows.notes,
        "statement": statement,
    });
    let remarks = show::remarks(&rows);
    if printed {
        if !session.quiet {
            eprint!("{remarks}");
        }
        return Ok(Answer::of_text(text, json));
    }
    file::write(&files.output, &text, files.force)?;
    let written = counted(rows.rows() as u64, "row");
    Ok(Answer::done(format!("{}: {written}\n{remarks}", files.output.display()), json))
}

fn delimiter(output: &Path) -> Result<u8, Failure> {
    let ending = output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        None if output.as_os_str() == "-" => Ok(b','),
        Some("csv" | "txt") => Ok(b','),
        Some("tsv" | "tab") => Ok(b'\t'),
        _ => Err(Failure::Usage {
            message: format!("{}: write to a file that ends in .csv or .tsv, or to -", output.display()),
        }),
    }
}
