//! `paravent init`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::file;
use crate::layout::Columns;
use crate::paint::Paint;
use paravent_pipeline::init::{ColumnProposal, InitOptions, Preset, Proposal, propose};
use paravent_pipeline::job::Recoding;
use paravent_pipeline::read::{Format, Input, ReadOptions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent init patients.csv
  paravent init patients.parquet --output study/job.toml --k 10
  paravent init patients.xlsx --for health --sheet Stays
  paravent init patients.csv --ask                    a dialogue on the terminal
  paravent init patients.csv --output -               print the job file, write nothing

The proposal can be run as it is. Read it all the same: only you know what others know about
these people.";

/// Look at a table and propose a job file for it
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[arg(help = format!("The table: {}", Format::endings()))]
    data: PathBuf,
    /// The job file to write; `-` prints it
    #[arg(long, short, value_name = "FILE", default_value = "paravent.toml")]
    output: PathBuf,
    /// Replace a job file that is there already
    #[arg(long, short)]
    force: bool,
    /// What the release is for: general, health, research or open-data
    #[arg(long = "for", value_name = "PURPOSE", value_parser = preset, default_value = "general")]
    purpose: Preset,
    /// Smallest group of people that cannot be told apart [default: 5, for open-data 20]
    #[arg(long, short, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    k: Option<u32>,
    /// The sheet of a workbook; by default the first with a table
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// global: the same labels for all rows; local: every class has its own, which hides no whole column
    #[arg(long, value_name = "HOW", value_parser = recoding, default_value = "global")]
    recoding: Recoding,
    /// Ask for purpose, k and the roles of doubtful columns
    #[arg(long)]
    ask: bool,
}

/// Prints the roles with their reasons.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    // A table that is not there is the first thing to say.
    let read = ReadOptions { sheet: args.sheet.clone(), ..ReadOptions::new(&args.data) };
    let input = Input::new(read).map_err(|error| run_error::of_read(&error))?;
    let to_stdout = args.output == Path::new("-");
    if !to_stdout && !args.force && args.output.exists() {
        return Err(Failure::exists(&args.output));
    }
    if !to_stdout && same_file(&args.output, &args.data) {
        let advice = Some("Name another file: --output FILE".to_owned());
        let message = format!("{}: the job file would replace the table", args.output.display());
        return Err(Failure::InputOutput { message, advice });
    }
    let job_file = if to_stdout { PathBuf::from("paravent.toml") } else { args.output.clone() };
    let (preset, k) = match args.ask {
        true => super::init_ask::purpose(args.purpose, args.k)?,
        false => (args.purpose, args.k.unwrap_or(args.purpose.k())),
    };
    let options = InitOptions { job_file, k, preset, recoding: args.recoding, ..InitOptions::default() };
    let mut proposal = propose(&input, &options).map_err(|error| run_error::of_init(&error))?;
    if args.ask {
        super::init_ask::roles(&mut proposal)?;
    }
    let job = proposal.to_toml();
    if to_stdout {
        let json = document(&proposal, None, &job);
        return Ok(Answer::of_text(job, json));
    }
    file::write(&args.output, &job, args.force)?;
    let text = text(&proposal, &args.output, session.paint);
    Ok(Answer::done(text, document(&proposal, Some(&args.output), &job)))
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = Preset::ALL.map(Preset::name).join(", ");
    Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or(format!("one of: {names}"))
}

fn recoding(name: &str) -> Result<Recoding, String> {
    match name {
        "global" => Ok(Recoding::Global),
        "local" => Ok(Recoding::Local),
        _ => Err("one of: global, local".to_owned()),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn text(proposal: &Proposal, output: &Path, paint: Paint) -> String {
    let mut columns = Columns::default();
    columns.row(["column", "role", "type", "values", "why"]);
    for ColumnProposal { name, role, left_out, reason, data_type, distinct, .. } in &proposal.columns {
        let mut reasons = reason.split("; ");
        let first = reasons.next().unwrap_or_default();
        let role = if *left_out { "left out" } else { role.name() };
        columns.row([name, role, data_type.name(), &distinct.to_string(), first]);
        reasons.for_each(|reason| columns.row(["", "", "", "", reason]));
    }
    let mut hierarchies = Columns::default();
    for column in &proposal.columns {
        if let Some(hierarchy) = &column.hierarchy {
            hierarchies.row([&column.name, hierarchy]);
        }
    }
    let notes: String =
        proposal.notes.iter().map(|note| format!("{} {note}\n", paint.careful("note:"))).collect();
    format!(
        "{}\n{}\n{}\n{}\n{notes}{}Wrote {job}. Look through it, then run\n  paravent anonymize {job} --dry-run\n",
        paint.strong("Columns"),
        columns.render(),
        paint.strong("Generalization"),
        hierarchies.render(),
        if notes.is_empty() { "" } else { "\n" },
        job = output.display(),
    )
}

fn document(proposal: &Proposal, written: Option<&Path>, job: &str) -> Value {
    let columns = proposal.columns_json();
    let path = written.map(|path| path.display().to_string());
    json!({ "path": path, "columns": columns, "notes": proposal.notes, "job": job })
}
