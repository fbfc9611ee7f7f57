//! A plan from a file.

use crate::failure::Failure;
use paravent_algebra::session::Written;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// No plan is longer than this; documents and statements have narrower limits of their own.
const LONGEST: u64 = 2 << 20;

/// How a plan is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The elements of docs/guide/xml.md
    Xml,
    /// A query, with our functions in FROM
    Sql,
}

/// Reads a file, or standard input for `-`.
pub fn read(path: &Path, format: Option<Format>) -> Result<Written, Failure> {
    let place = shown(path);
    let failed = |error: io::Error| Failure::input_output(format!("{place}: {error}"));
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?,
        false => {
            File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?
        }
    };
    let refused = |problem: String| Failure::Usage { message: format!("{place}: {problem}") };
    if bytes.len() as u64 > LONGEST {
        return Err(refused(format!("longer than {} MiB, which no plan is", LONGEST >> 20)));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| refused(format!("no UTF-8 text (byte {})", error.utf8_error().valid_up_to() + 1)))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    Ok(match format.or_else(|| of_ending(path)).unwrap_or_else(|| of_beginning(&text)) {
        Format::Xml => Written::Xml(text),
        Format::Sql => Written::Sql(text),
    })
}

/// The file for people.
pub fn shown(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn of_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_string_lossy().to_lowercase().as_str() {
        "xml" => Some(Format::Xml),
        "sql" => Some(Format::Sql),
        _ => None,
    }
}

/// No query begins with `<`, and every document does.
fn of_beginning(text: &str) -> Format {
    if text.trim_start().starts_with('<') { Format::Xml } else { Format::Sql }
}
