//! Written beside its place, verified, registered, and put there in one step.

use super::manifest::{facts, manifest};
use super::{AnswerColumn, ReleasedAnswer, ShownCells};
use crate::files::{pretty, put, put_private};
use crate::register::Register;
use crate::release::{Leaving, file_name, key_of, put_signature, refuse_naming, singled_out_in};
use crate::slice::{
    CodedCells, CodedTable, LeavingTable, PlainEntry, SEEDED, SliceError, add_warnings, listed,
    output_format, released, sort, write_rows,
};
use paravent_job::Job;
use paravent_report::{UnchangedFacts, VerdictFacts, render_answer, singled_out};
use paravent_tables::digest::sha256;
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
    /// A key to sign with; else the one that lies beside the job, if there is one.
    pub sign: Option<PathBuf>,
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
    let mut cells: Vec<CodedCells> = answer.columns.iter().map(coded).collect();
    let unchanged = judged(answer, &cells, job)?;
    Staging::check(&to.target, to.replace)?;
    Register::admit(to.register.as_deref(), &to.target)?;
    let key = key_of(to.sign.as_deref(), Some(job))?;
    // The order of the source would tell more than the rows do.
    sort(&mut cells);
    let columns: Vec<ReleasedColumn> = cells.iter().map(released).collect();
    let format = output_format(&columns, table, Some(job));
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let written = write_rows(&staging.path().join(&data), staging.create(&data)?, &format, &cells, &columns)?;
    let mut document = facts(answer, job);
    document["rows"] = json!(written.rows);
    document["notes"] = json!(answer.notes);
    let warnings: Vec<String> =
        unchanged.iter().filter(|unchanged| unchanged.too_many()).map(singled_out).collect();
    let faults: Vec<&str> = answer.seeded.then_some(SEEDED).into_iter().collect();
    let mut verdict = VerdictFacts::over(&faults, unchanged.as_ref());
    let full = (verdict.clone(), json!(unchanged), json!(warnings));
    (document["warnings"], document["unchanged"]) =
        told_outside(answer, &warnings, unchanged.as_ref(), &mut verdict.reasons);
    document["verdict"] = json!(verdict);
    document["output"] =
        json!({ "file": data, "rows": written.rows, "sha256": written.sha256, "verified": true });
    // What is handed out is written first, so that the manifest, and with it a signature, covers it.
    let (page, text) = (render_answer(&document), pretty(&document));
    put(&staging, "report.html", page.as_bytes())?;
    put(&staging, "report.json", &text)?;
    let mut manifest = manifest(answer, job, &format, &written);
    manifest["reports"] = listed(&page, &text);
    let manifest = pretty(&manifest);
    put(&staging, "manifest.json", &manifest)?;
    put_signature(&staging, key.as_ref(), &manifest)?;
    // How the columns were changed: by the statement.
    let transform = json!({
        "paravent": env!("CARGO_PKG_VERSION"),
        "kind": "sql",
        "release": { "manifest_sha256": sha256(&manifest) },
        "private": answer.private,
    });
    put_private(&staging, "transform.json", &pretty(&transform))?;
    let verification = verify(staging.path())?;
    if !verification.holds() {
        return Err(SliceError::Refuted(verification));
    }
    let (verdict, unchanged, warnings) = full;
    (document["unchanged"], document["warnings"]) = (unchanged, warnings);
    document["output"]["path"] = json!(to.target.join(&data).display().to_string());
    document["output"]["signed_by"] = json!(key.map(|key| key.public()));
    let entry = PlainEntry::prepare(LeavingTable {
        register: to.register.as_deref(),
        target: &to.target,
        table,
        columns: &names(answer),
        criteria: criteria(answer),
        named: Some(&to.job),
        job: Some(job),
    })?;
    if let Some(facts) = entry.facts() {
        document["register"] = json!(facts);
    }
    add_warnings(&mut document, entry.warnings());
    document["verdict"] = json!(verdict.doubted(entry.doubts()));
    let mut stays = document.clone();
    stays["private"] = answer.private.clone();
    stays["table"] = json!({ "sha256": table.sha256, "rows": table.rows });
    put_private(&staging, "report.html", render_answer(&stays).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&stays))?;
    entry.publish(staging, to.replace, (&data, &written))?;
    Ok(document)
}

/// What goes with the answer about columns that leave as they are: warnings and figures.
fn told_outside(
    answer: &ReleasedAnswer,
    warnings: &[String],
    unchanged: Option<&UnchangedFacts>,
    reasons: &mut [String],
) -> (Value, Value) {
    let (Some(_), Some(unchanged)) = (&answer.grouped, unchanged) else {
        return (json!(warnings), json!(unchanged));
    };
    // How many rows were grouped is not in the answer, and so not in what goes with it.
    let told = format!(
        "more than one in ten people are singled out by what is released as it is: {}",
        unchanged.most_telling().join(", ")
    );
    let words = |reasons: &mut [String]| {
        let counted = reasons.iter_mut().filter(|reason| warnings.contains(*reason));
        counted.for_each(|reason| reason.clone_from(&told));
    };
    let mut outside = warnings.to_vec();
    words(&mut outside);
    words(reasons);
    (json!(outside), Value::Null)
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

/// Refuses columns that name people, and counts whom the columns single out that leave as they are.
fn judged(
    answer: &ReleasedAnswer,
    cells: &[CodedCells],
    job: &Job,
) -> Result<Option<UnchangedFacts>, SliceError> {
    let shown = |places: &mut dyn Iterator<Item = usize>| -> Vec<Leaving<'_>> {
        places.map(|place| cells[place].leaving()).collect()
    };
    let of = |shown: ShownCells| {
        (0..answer.columns.len()).filter(move |&place| answer.columns[place].shown == shown)
    };
    let (exact, sliced, redrawn) = (of(ShownCells::AsItIs), of(ShownCells::Sliced), of(ShownCells::Redrawn));
    refuse_naming(job, &shown(&mut exact.clone().chain(sliced.clone()).chain(redrawn)), None)?;
    if answer.grouped.is_some() {
        return Ok(answer.grouped.clone());
    }
    // Exact cells of a row stand together. Those of a slicing stand where they were put: each column speaks for itself.
    let columns = shown(&mut exact.clone().chain(sliced));
    let together: Vec<usize> = (0..exact.count()).collect();
    let alone = (together.len()..columns.len()).map(|place| vec![place]);
    let groups: Vec<Vec<usize>> = std::iter::once(together.clone()).chain(alone).collect();
    Ok(singled_out_in(&columns, &groups, None))
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
