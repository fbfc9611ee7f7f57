//! `paravent slice`

mod args;
mod attack;
mod check;
mod failed;
mod inside;
pub(crate) mod kept;
mod plan;
mod statement;
mod text;
mod timing;

pub use args::Args;
pub use attack::{is_release, run as attack};

use crate::answer::Answer;
use crate::commands::destination::{Bare, NamedJob, Output, Written, destination, named_job};
use crate::commands::{Session, light};
use crate::failure::Failure;
use crate::file;
use crate::layout::counted;
use args::{Command, Slicing};
pub(crate) use failed::failure;
use paravent_pipeline::job::Job;
use paravent_pipeline::slice::{CodedTable, Destination, dry_run, input, slice, write_release};
use serde_json::{Value, json};
use std::path::Path;

/// Slices, or whatever else was asked for.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    match &args.command {
        Some(Command::Check(args)) => check::run(args, session),
        None if args.slicing.sql.is_some() => statement::run(&args.slicing),
        None if args.slicing.plan => plan::run(&args.slicing),
        None if args.slicing.timing => timing::run(&args.slicing),
        None if args.slicing.into.is_some() => inside::run(&args.slicing),
        None => sliced(&args.slicing, session),
    }
}

/// The job, if there is one.
pub(crate) fn job(path: Option<&Path>) -> Result<Option<NamedJob>, Failure> {
    named_job(path, "slice")
}

/// A table in memory.
fn read(path: &Path, job: Option<&Job>) -> Result<CodedTable, Failure> {
    let input = input(path, job).map_err(failure)?;
    CodedTable::read(&input).map_err(failure)
}

fn sliced(args: &Slicing, session: &Session) -> Result<Answer, Failure> {
    if args.row_key.is_some() {
        let message = "--row-key is for --sql and --into: the rows of a file have an order of their own";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let (output, request) = (Output::of(args.release.as_deref(), args.output.as_deref())?, args.request()?);
    if let Output::File { path, .. } = &output
        && !args.force
        && path.exists()
    {
        return Err(Failure::exists(path));
    }
    let job = job(args.job.as_deref())?;
    let own = job.as_ref().map(|(job, _)| job);
    let table = read(args.table()?, own)?;
    let result = slice(&table, own, &request).map_err(failure)?;
    let utility = args.compare.then(|| result.utility(&table));
    let attacked = result.read_off(&table);
    let mut remarks = text::remarks(&result, &attacked);
    if let Some(utility) = &utility {
        remarks.push_str(&kept::table(utility));
    }
    let mut json =
        json!({ "rows": result.rows(), "operators": [text::account(&result, &attacked, utility.as_ref())] });
    let (delimiter, path) = match output {
        Output::Release(target) => {
            let make = if args.dry_run { dry_run } else { write_release };
            let to = place(args, job.as_ref(), &target);
            let document = make(&table, &result, &request, own, &to).map_err(failure)?;
            if !args.dry_run {
                json["output"] = json!(target.display().to_string());
            }
            json["release"] = document.clone();
            let text = format!("{}{}", headline(args, &target, &document), told(&document, &remarks));
            return Ok(light::add(Answer::done(text, json), &document));
        }
        Output::Printed => (b',', None),
        Output::File { path, delimiter } => (delimiter, Some(path)),
    };
    remarks.push_str("· A bare table is no release: it has no manifest, report, register line or attack. Name a folder to make one.\n");
    json["notes"] = json!(["a bare table, not a release"]);
    let bare = Bare::held_against(&table, result.groups.columns(), own, path.as_deref())?;
    remarks.push_str(&bare.remarks());
    if args.dry_run {
        let rows = counted(result.rows() as u64, "row");
        return Ok(bare.add(Answer::done(format!("A dry run: {rows}; nothing is written\n{remarks}"), json)));
    }
    let bytes = result.text(delimiter).map_err(failure)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::internal())?;
    let Some(path) = path else {
        if !session.quiet {
            eprint!("{remarks}");
        }
        json["output"] = json!("-");
        return Ok(bare.add(Answer::of_text(text, json)));
    };
    json["output"] = json!(path.display().to_string());
    file::write(&path, &text, args.force)?;
    let written = counted(result.rows() as u64, "row");
    Ok(bare.add(Answer::done(format!("{}: {written}\n{remarks}", path.display()), json)))
}

/// Where a release goes.
fn place(args: &Slicing, job: Option<&NamedJob>, target: &Path) -> Destination {
    let written = Written { force: args.force, no_register: args.no_register, sign: args.sign.as_deref() };
    destination(target, job, &written)
}

fn headline(args: &Slicing, target: &Path, document: &Value) -> String {
    let rows = counted(document["rows"].as_u64().unwrap_or_default(), "row");
    match args.dry_run {
        true => {
            format!("{}: a dry run of a sliced release of {rows}; nothing is written\n", target.display())
        }
        false => format!("{}: a sliced release of {rows}, verified\n", target.display()),
    }
}

fn told(document: &Value, remarks: &str) -> String {
    let mut text = remarks.to_owned();
    for warning in document["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("· {warning}\n"));
    }
    if document["seeded"] == true {
        text.push_str("· Drawn from a seed: whoever knows it can undo the slicing. Good for tests; a release is made without a seed.\n");
    }
    text
}
