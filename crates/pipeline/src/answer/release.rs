//! Written beside its place, verified, registered, and put there in one step.

use super::manifest::{facts, manifest};
use super::{AnswerColumn, ReleasedAnswer};
use crate::files::{pretty, put, put_private};
use crate::register::Register;
use crate::release::file_name;
use crate::slice::{
    CodedCells, CodedTable, PlainEntry, SliceError, output_format, released, sort, write_rows,
};
use paravent_job::Job;
use paravent_report::render_answer;
use paravent_tables::write::{ReleasedColumn, Replace, Staging};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

/// Where a released answer goes.
#[derive(Debug, Clone)]
pub struct AnswerRelease {
    /// Its directory.
    pub target: PathBuf,
    /// Whether one that is there may be replaced.
    pub replace: Replace,
    /// The register, or the folder it is in; `None` writes no line.
    pub register: Option<PathBuf>,
    /// Name and digest of the job file.
    pub job: (String, String),
}

/// Writes, verifies and registers the release; gives back what `report.json` says. `table` is the one that the query is about: the register
/// recognises it in other releases.
pub fn write_answer(
    table: &CodedTable,
    answer: &ReleasedAnswer,
    job: &Job,
    to: &AnswerRelease,
) -> Result<Value, SliceError> {
    check(answer)?;
    Staging::check(&to.target, to.replace)?;
    if let Some(place) = &to.register {
        Register::check(place, &to.target)?;
    }
    let mut cells: Vec<CodedCells> = answer.columns.iter().map(coded).collect();
    // The order of the source would tell more than the rows do.
    sort(&mut cells);
    let columns: Vec<ReleasedColumn> = cells.iter().map(released).collect();
    let format = output_format(&columns, table, Some(job));
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let written = write_rows(&staging.path().join(&data), staging.create(&data)?, &format, &cells, &columns)?;
    put(&staging, "manifest.json", &pretty(&manifest(answer, job, &format, &written)))?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(SliceError::Refuted(verification));
    }
    let mut document = facts(answer, job);
    document["rows"] = json!(written.rows);
    document["notes"] = json!(answer.notes);
    document["warnings"] = json!([]);
    document["output"] = json!({
        "path": to.target.join(&data).display().to_string(),
        "rows": written.rows,
        "sha256": written.sha256,
        "verified": true,
    });
    let entry = match &to.register {
        Some(place) => {
            let told = (&names(answer)[..], criteria(answer));
            Some(PlainEntry::prepare((place, &to.target), table, told, Some(&to.job), Some(job))?)
        }
        None => None,
    };
    if let Some(entry) = &entry {
        document["register"] = entry.facts();
        document["warnings"] = json!(entry.warnings());
    }
    put(&staging, "report.html", render_answer(&document).as_bytes())?;
    put(&staging, "report.json", &pretty(&document))?;
    let mut full = document.clone();
    full["private"] = answer.private.clone();
    full["table"] = json!({ "sha256": table.sha256, "rows": table.rows });
    // How the columns were changed: by the statement.
    let transform =
        json!({ "paravent": env!("CARGO_PKG_VERSION"), "kind": "sql", "private": answer.private });
    put_private(&staging, "transform.json", &pretty(&transform))?;
    put_private(&staging, "report.html", render_answer(&full).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&full))?;
    match entry {
        Some(entry) => entry.publish(staging, to.replace, (&data, &written))?,
        None => staging.publish(to.replace)?,
    }
    Ok(document)
}

/// Refuses what cannot be a release.
fn check(answer: &ReleasedAnswer) -> Result<(), SliceError> {
    let names = names(answer);
    if let Some(twice) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
        return Err(SliceError::Request(format!(
            "two columns of the answer are called {:?}; name one of them with AS",
            twice.1
        )));
    }
    if answer.operators.is_empty() {
        return Err(SliceError::Request(
            "the answer went through none of generalize, slice, randomize and private, so nothing can be promised about it".to_owned(),
        ));
    }
    match answer.rows() {
        0 => Err(SliceError::Request("the answer has no rows, so there is nothing to release".to_owned())),
        _ => Ok(()),
    }
}

fn names(answer: &ReleasedAnswer) -> Vec<String> {
    answer.columns.iter().map(|column| column.name.clone()).collect()
}

/// What the register remembers.
fn criteria(answer: &ReleasedAnswer) -> Vec<(String, Value)> {
    let models = answer.promises.iter().flat_map(|promise| promise.models.iter().cloned());
    let all: Vec<(String, Value)> = models.collect();
    match all.is_empty() {
        false => all,
        true => vec![("query".to_owned(), json!({ "operators": answer.operators }))],
    }
}

fn coded(column: &AnswerColumn) -> CodedCells {
    let mut known: HashMap<Option<&str>, u32> = HashMap::new();
    let mut cells = Vec::new();
    let codes = column.cells.iter().map(|cell| {
        *known.entry(cell.as_deref()).or_insert_with(|| {
            cells.push(cell.clone());
            (cells.len() - 1) as u32
        })
    });
    let codes = codes.collect();
    CodedCells { name: column.name.clone(), codes, cells }
}
