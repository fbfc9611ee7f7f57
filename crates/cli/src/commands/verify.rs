//! `paravent verify`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count};
use paravent_pipeline::read::{Input, ReadOptions};
use paravent_pipeline::run::counted_rows;
use paravent_verify::{
    CountedRows, Outcome, PublicKey, Told, VerifyError, verify_counted, verify_signed, wanted,
};
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent verify release
  paravent verify release --key paravent.key.pub
  paravent verify release --json | jq .holds

Reads the files of the release and computes every criterion afresh. With the private folder beside
it (release.private) it also checks labels and manifest against the transformation; without it, it
says what it could not check. What it takes from the manifest on trust is listed; a signature tells
who said it.";

/// Check a finished release from its files alone
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Directory of the release
    #[arg(value_name = "RELEASE_DIR")]
    release: PathBuf,
    /// Public key that the manifest must be signed with: a file that `keygen` made, or the key itself
    #[arg(long, value_name = "PUBLIC")]
    key: Option<String>,
    /// Where the rows are, if the release is a table: postgres://host/database#table
    #[arg(long, value_name = "ADDRESS")]
    table: Option<PathBuf>,
}

/// Prints each check.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let key = args.key.as_deref().map(public_key).transpose()?;
    let verification = match &args.table {
        None => verify_signed(&args.release, key.as_ref()).map_err(|error| unexaminable(args, &error))?,
        Some(address) => verify_counted(&args.release, &counted(args, address)?, key.as_ref())
            .map_err(|error| unexaminable(args, &error))?,
    };
    let paint = session.paint;
    let Told { checks, trusted, not_checked, verdict, .. } = verification.told();
    let mut listed = Columns::default();
    for (outcome, about, detail) in checks {
        let mark = match outcome {
            Outcome::Held => "held    ",
            Outcome::Violated => "VIOLATED",
        };
        listed.row([mark.to_owned(), about, detail]);
    }
    let listed = listed.render().replace("  held    ", &format!("  {}    ", paint.good("held")));
    let listed = listed.replace("  VIOLATED", &format!("  {}", paint.bad("VIOLATED")));
    let rows = count(verification.rows);
    // A sliced release has no classes.
    let classes = match verification.classes {
        0 => String::new(),
        classes => format!(" in {} classes", count(classes)),
    };
    let title = paint.strong(args.release.display());
    let mut text = format!("{title}: {rows} rows{classes}\n\n{listed}");
    if !not_checked.is_empty() {
        let mut open = Columns::default();
        not_checked.into_iter().for_each(|(about, why)| open.row([about, why]));
        text.push_str(&format!("\n{}\n{}", paint.careful("Not checked"), open.render()));
    }
    let mut said = Columns::default();
    trusted.into_iter().for_each(|line| said.row([line]));
    text.push_str(&format!("\n{}\n{}", paint.careful("Taken from the manifest on trust"), said.render()));
    let verdict = if verification.holds() { paint.good(verdict) } else { paint.bad(verdict) };
    text.push_str(&format!("\n{verdict}\n"));
    Ok(Answer::judged(verification.holds(), text, json!(verification)))
}

/// The rows of a release that is a table, counted where it is.
fn counted(args: &Args, address: &Path) -> Result<CountedRows, Failure> {
    let columns = match wanted(&args.release).map_err(|error| unexaminable(args, &error))? {
        Some((_, columns)) => columns,
        None => {
            let message = "the rows of this release are in a file; leave out --table".to_owned();
            return Err(Failure::Usage { message });
        }
    };
    let options = ReadOptions::new(address);
    let input = Input::new(options.clone()).map_err(|error| run_error::of_read(&error))?;
    let table = input.engine().ok_or_else(|| Failure::Usage {
        message: "--table takes an address, as in postgres://host/database#table".to_owned(),
    })?;
    counted_rows(table, table.name(), &columns, &options).map_err(|error| run_error::of_read(&error))
}

/// A key, or the file that has it.
pub(super) fn public_key(given: &str) -> Result<PublicKey, Failure> {
    if let Some(key) = PublicKey::parse(given) {
        return Ok(key);
    }
    let text = std::fs::read_to_string(Path::new(given))
        .map_err(|error| Failure::input_output(format!("{given}: {error}")))?;
    PublicKey::parse(&text).ok_or_else(|| Failure::Usage {
        message: format!(
            "{given}: not a public key; `paravent keygen` writes one into a file that ends in .pub"
        ),
    })
}

fn unexaminable(args: &Args, error: &VerifyError) -> Failure {
    if !args.release.is_dir() {
        let what = match args.release.exists() {
            true => "a file, not the directory of a release",
            false => "no such release directory",
        };
        return Failure::input_output(format!("{}: {what}", args.release.display()));
    }
    Failure::input_output(format!("{}: the release cannot be examined: {error}", args.release.display()))
}
