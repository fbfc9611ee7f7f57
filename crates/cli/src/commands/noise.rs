//! `paravent noise`

mod args;
mod dry;
mod failed;
mod inside;
mod statement;
mod text;

pub use args::Args;

use crate::answer::Answer;
use crate::commands::destination::{Bare, NamedJob, Output, Written, destination, named_job};
use crate::commands::{Session, light, run_error};
use crate::failure::Failure;
use crate::file;
use crate::layout::counted;
use failed::failure;
use paravent_pipeline::engine::Address;
use paravent_pipeline::job::Memory;
use paravent_pipeline::noise::{NoisyTable, Prepared, write_release};
use paravent_pipeline::slice::{CodedTable, Destination, input};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Draws, or prints the statement that does.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let job = named_job(args.job.as_deref(), "noise")?;
    let own = job.as_ref().map(|(job, _)| job);
    match (&args.sql, &args.into) {
        (Some(_), _) => statement::run(args, own),
        (None, Some(target)) => inside::run(args, target, own),
        (None, None) => drawn(args, job.as_ref(), session),
    }
}

/// The limits of time and memory.
struct Limits {
    until: Option<(Instant, u64)>,
    memory: Option<Memory>,
}

impl Limits {
    fn of(args: &Args) -> Result<Limits, Failure> {
        let wrong = |text: &str| Failure::Usage {
            message: format!("--memory: {text:?} is no amount of memory of at least 1 MiB; write e.g. 4GiB"),
        };
        let memory = args
            .memory
            .as_deref()
            .map(|text| Memory::parse_bytes(text).and_then(Memory::from_bytes).ok_or_else(|| wrong(text)));
        let until = args.seconds.map(|seconds| (Instant::now() + Duration::from_secs(seconds), seconds));
        Ok(Limits { until, memory: memory.transpose()? })
    }

    fn time(&self) -> Result<(), Failure> {
        match self.until {
            Some((until, seconds)) if Instant::now() > until => Err(Failure::Usage {
                message: format!("it took longer than {seconds} seconds; allow more with --seconds"),
            }),
            _ => Ok(()),
        }
    }

    /// Codes of the table twice, and its cells.
    fn memory(&self, table: &CodedTable) -> Result<(), Failure> {
        let Some(limit) = self.memory else { return Ok(()) };
        let cells = table.columns.iter().flat_map(|column| column.cells.iter().flatten());
        let bytes = cells.map(|cell| cell.len() as u64 + 24).sum::<u64>()
            + 8 * table.rows as u64 * table.columns.len() as u64;
        match bytes > limit.bytes() {
            true => {
                Err(Failure::Usage { message: "the table takes more memory than --memory allows".to_owned() })
            }
            false => Ok(()),
        }
    }
}

fn drawn(args: &Args, job: Option<&NamedJob>, session: &Session) -> Result<Answer, Failure> {
    let (output, limits) = (Output::of(args.release.as_deref(), args.output.as_deref())?, Limits::of(args)?);
    if let Output::File { path, .. } = &output
        && !args.force
        && path.exists()
    {
        return Err(Failure::exists(path));
    }
    let own = job.map(|(job, _)| job);
    let input = input(&args.table, own).map_err(|error| failure(error.into()))?;
    let table = CodedTable::read(&input).map_err(|error| failure(error.into()))?;
    limits.memory(&table)?;
    let prepared = Prepared::new(&table, own, &args.request()).map_err(failure)?;
    let place = match &output {
        Output::Release(target) => Some(release(args, job, target)),
        Output::Printed | Output::File { .. } => None,
    };
    // What would be refused in the end costs nothing.
    if let Some(place) = &place {
        prepared.may_be_released().and_then(|()| prepared.may_be_written(&table, own)).map_err(failure)?;
        let free = if args.dry_run { place.look(own) } else { place.check(own).map(drop) };
        free.map_err(|error| failure(error.into()))?;
        // Without roles nobody knows which columns name people, and all of them would leave.
        if job.is_none() {
            return Err(Failure::Usage {
                message: "a release needs a job file that says which columns identify people: add --job paravent.toml \
                          (paravent init TABLE writes one), or write a plain file with -o noisy.csv"
                    .to_owned(),
            });
        }
    }
    let bare = match &output {
        Output::Release(_) => Bare::default(),
        Output::Printed => Bare::held_against(&table, &columns(&table), own, None)?,
        Output::File { path, .. } => Bare::held_against(&table, &columns(&table), own, Some(path))?,
    };
    let mut book = args.spending.book(own);
    let has_folder = args.table.as_os_str() != "-" && !Address::is_one(&args.table);
    book.add_table(has_folder.then_some(&args.table));
    if let Some((epsilon, delta)) = args.spending.lowered() {
        book.lower(epsilon, delta).map_err(|error| run_error::of_book(&error))?;
    }
    limits.time()?;
    if args.dry_run {
        let planned = dry::Planned { table: &table, prepared: &prepared, job: own, book: &book };
        return planned.tell(&output, place.as_ref(), bare);
    }
    let noisy = prepared.pay(&mut book).and_then(|paid| paid.draw(&table)).map_err(failure)?;
    limits.time()?;
    let remarks = text::remarks(&noisy);
    let mut json = json!({
        "rows": noisy.rows(),
        "operators": [noisy.account()],
        "notes": text::notes(&noisy),
    });
    if let Some(statement) = args.as_statement() {
        json["statement"] = json!(statement);
    }
    match (output, place) {
        (Output::Release(target), Some(place)) => {
            let document = write_release(&table, &noisy, own, &place).map_err(failure)?;
            json["output"] = json!(target.display().to_string());
            json["release"] = document.clone();
            let answer = Answer::done(text::released(&target, &document, &remarks), json);
            Ok(light::add(answer, &document))
        }
        (Output::File { path, delimiter }, _) => {
            json["output"] = json!(path.display().to_string());
            file::write(&path, &rows(&noisy, delimiter)?, args.force)?;
            let written = counted(noisy.rows() as u64, "row");
            let text = format!("{}: {written}\n{remarks}{BARE}{}", path.display(), bare.remarks());
            Ok(bare.add(Answer::done(text, json)))
        }
        _ => {
            json["output"] = json!("-");
            if !session.quiet {
                eprint!("{remarks}{BARE}{}", bare.remarks());
            }
            Ok(bare.add(Answer::of_text(rows(&noisy, b',')?, json)))
        }
    }
}

const BARE: &str =
    "· A bare table is no release: it has no manifest, report or register line. Name a folder to make one.\n";

fn columns(table: &CodedTable) -> Vec<String> {
    table.columns.iter().map(|column| column.name.clone()).collect()
}

fn rows(noisy: &NoisyTable, delimiter: u8) -> Result<String, Failure> {
    String::from_utf8(noisy.text(delimiter).map_err(failure)?).map_err(|_| Failure::internal())
}

fn release(args: &Args, job: Option<&NamedJob>, target: &Path) -> Destination {
    let written = Written { force: args.force, no_register: args.no_register, sign: args.sign.as_deref() };
    destination(target, job, &written)
}

/// What a document says of a release, as text.
fn warnings(document: &Value) -> impl Iterator<Item = &str> {
    document["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str)
}
