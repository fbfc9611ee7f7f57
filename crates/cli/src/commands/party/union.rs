//! `paravent party union`

use super::connection::{Limits, Who};
use super::failure;
use super::run::consent;
use super::told::Told;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::counted;
use crate::progress::Progress;
use crate::signals;
use paravent_federation::leaks::LeakTable;
use paravent_joint::union::{Options, Together, Uniting, Wanted};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  paravent party union federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem --column age
  paravent hierarchy build --data age.values.csv --column age --type integer --sizes 5,4 --output age.csv

All parties but the helper run it at about the same time, after all have joined, for a hierarchy that has to know the values of
all: every party then has them in a file, and nobody learns whose they are. Invite again with the hierarchy that is made of it.";

/// Put the values of a column together, without saying whose they are: for a hierarchy that depends on all of them
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(flatten)]
    who: Who,
    /// The column
    #[arg(long, value_name = "NAME")]
    column: String,
    /// Keep values here that fewer rows of this party have
    #[arg(long, value_name = "ROWS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    least: u64,
    /// Where to write the values [default: COLUMN.values.csv]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show what would be sent and learnt; connect to nobody
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    limits: Limits,
}

/// Shows, asks, puts together, and tells.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.values.csv", file_name(&args.column))));
    let wanted = Wanted { column: &args.column, least_rows: args.least, output: &output };
    let uniting =
        Uniting::load(options(args), &wanted, &Progress::start(session.quiet)).map_err(failure::of)?;
    let shown = shown(&uniting);
    if args.preview {
        let json = json!({ "column": args.column, "values": uniting.values().0, "of_one_row": uniting.values().1, "kept_back": uniting.kept_back });
        return Ok(Answer::of_text(shown, json));
    }
    consent(args.who.yes, &shown)?;
    signals::install();
    let ((sent, _), kept_back) = (uniting.values(), uniting.kept_back);
    let mut told = Told::new(uniting.names(), session.quiet);
    let Together { values, ends } = uniting.run(&mut told).map_err(failure::of)?;
    let mut text = format!("{}: {} of {}", output.display(), counted(values as u64, "value"), args.column);
    if let Some((first, last)) = &ends {
        text.push_str(&format!(", from {first} to {last}"));
    }
    text.push_str(
        "\nNext    paravent hierarchy build --data of this file; then invite again with the hierarchy\n",
    );
    let ends = ends.map(|(first, last)| json!([first, last]));
    let json = json!({ "column": args.column, "file": output, "values": values, "ends": ends, "sent": sent, "kept_back": kept_back });
    Ok(Answer::done(text, json))
}

/// A name that can be one of a file.
fn file_name(column: &str) -> String {
    column
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' })
        .collect()
}

fn options(args: &Args) -> Options {
    Options {
        federation: args.who.federation.clone(),
        job: args.who.job.clone(),
        me: args.who.me.clone(),
        key: args.who.key.clone(),
        certificate: args.who.certificate.clone(),
        listen: args.who.listen.clone(),
        patience: args.limits.patience(),
        message_bytes: args.limits.max_message,
    }
}

/// What taking part means.
fn shown(uniting: &Uniting) -> String {
    let (values, of_one_row) = uniting.values();
    let mut text = format!(
        "Run           {}\nThis party    {} of {} leave, {} of one row only, {} stay here\n",
        uniting.agreement.run,
        counted(values, "value"),
        uniting.column().name,
        of_one_row,
        uniting.kept_back
    );
    let table = LeakTable::of_union();
    table.sends.iter().for_each(|s| text.push_str(&format!("  {} to {}: {}\n", s.from, s.to, s.what)));
    table.learns.iter().for_each(|l| text.push_str(&format!("  {} learns: {}\n", l.who, l.what)));
    table.leaks.iter().for_each(|l| {
        text.push_str(&format!("  {} could conclude: {}\n    against it: {}\n", l.who, l.what, l.against));
    });
    text
}
