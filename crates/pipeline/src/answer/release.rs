//! Written beside its place, verified, registered, and put there in one step.

use super::manifest::{facts, manifest};
use super::{AnswerColumn, ReleasedAnswer, ShownCells};
use crate::files::{pretty, put, put_private};
use crate::release::{Leaving, file_name, put_signature, refuse_naming, singled_out_in};
use crate::slice::{
    CodedCells, CodedTable, Destination, HeldAgainst, LeavingTable, PlainEntry, SEEDED, SliceError, listed,
    output_format, released, sort, write_rows,
};
use paravent_job::Job;
use paravent_report::{
    AnswerDocument, KeptAnswer, KeptOutput, ReadTable, UnchangedFacts, VerdictFacts, WrittenFile,
    render_answer, singled_out,
};
use paravent_tables::digest::sha256;
use paravent_tables::write::{ReleasedColumn, Staging};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Writes, verifies and registers the release; gives back what `report.json` says. `table` is the one that the query is about: the register
/// recognises it in other releases.
pub fn write_answer(
    table: &CodedTable,
    answer: &ReleasedAnswer,
    job: &Job,
    to: &Destination,
) -> Result<Value, SliceError> {
    check(answer)?;
    let mut cells: Vec<CodedCells> = answer.columns.iter().map(coded).collect();
    let unchanged = judged(answer, &cells, job)?;
    let (key, lang) = (to.check(Some(job))?, job.output.lang);
    // The order of the source would tell more than the rows do.
    sort(&mut cells);
    let columns: Vec<ReleasedColumn> = cells.iter().map(released).collect();
    let format = output_format(&columns, table, Some(job));
    let staging = Staging::beside(&to.target)?;
    let data = file_name(&format);
    let written = write_rows(&staging.path().join(&data), staging.create(&data)?, &format, &cells, &columns)?;
    let output = WrittenFile {
        file: data.clone(),
        rows: written.rows,
        sha256: written.sha256.clone(),
        verified: true,
        kept: None,
    };
    let full = AnswerDocument { output: Some(output.clone()), ..described(answer, job, unchanged) };
    let mut document = full.clone();
    tell_outside(answer, &mut document);
    // What is handed out is written first, so that the manifest, and with it a signature, covers it.
    let (page, text) = (render_answer(&document, lang), pretty(&document));
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
    let mut document = full;
    let path = to.target.join(&data).display().to_string();
    let signed_by = key.map(|key| key.public());
    document.output = Some(WrittenFile { kept: Some(KeptOutput { path, signed_by }), ..output });
    let names = names(answer);
    let entry = PlainEntry::prepare(leaving(table, answer, &names, job, to))?;
    document.register = entry.facts();
    document.warnings.extend(entry.warnings());
    document.verdict = document.verdict.doubted(entry.doubts());
    let kept = KeptAnswer {
        private: answer.private.clone(),
        table: ReadTable { rows: table.rows as u64, sha256: table.sha256.clone() },
    };
    let stays = AnswerDocument { kept: Some(kept), ..document.clone() };
    put_private(&staging, "report.html", render_answer(&stays, lang).as_bytes())?;
    put_private(&staging, "report.json", &pretty(&stays))?;
    entry.publish(staging, to.replace, (&data, &written))?;
    Ok(json!(document))
}

/// What a release would say of itself; nothing is written.
///
/// # Errors
/// What [`write_answer`] would refuse.
pub fn dry_run(
    table: &CodedTable,
    answer: &ReleasedAnswer,
    job: &Job,
    to: &Destination,
) -> Result<Value, SliceError> {
    check(answer)?;
    let cells: Vec<CodedCells> = answer.columns.iter().map(coded).collect();
    let unchanged = judged(answer, &cells, job)?;
    to.look(Some(job))?;
    let mut document = described(answer, job, unchanged);
    let names = names(answer);
    let held = HeldAgainst::look(&leaving(table, answer, &names, job, to))?;
    document.warnings.extend(held.warnings());
    document.verdict = document.verdict.doubted(held.doubts());
    Ok(json!(document))
}

/// What the register hears of it.
fn leaving<'a>(
    table: &'a CodedTable,
    answer: &'a ReleasedAnswer,
    names: &'a [String],
    job: &'a Job,
    to: &'a Destination,
) -> LeavingTable<'a> {
    LeavingTable {
        register: to.register.as_deref(),
        target: &to.target,
        table,
        columns: names,
        criteria: criteria(answer),
        named: to.job.as_ref(),
        job: Some(job),
    }
}

/// What `report.json` says, with every figure.
fn described(answer: &ReleasedAnswer, job: &Job, unchanged: Option<UnchangedFacts>) -> AnswerDocument {
    let faults: Vec<&str> = answer.seeded.then_some(SEEDED).into_iter().collect();
    AnswerDocument {
        facts: facts(answer, job),
        rows: answer.rows() as u64,
        notes: answer.notes.clone(),
        warnings: unchanged.iter().filter(|unchanged| unchanged.too_many()).map(singled_out).collect(),
        verdict: VerdictFacts::over(&faults, unchanged.as_ref()),
        unchanged,
        output: None,
        register: None,
        kept: None,
    }
}

/// Takes out of a document what does not go with the answer: how many rows were grouped is not in it.
fn tell_outside(answer: &ReleasedAnswer, document: &mut AnswerDocument) {
    let unchanged = document.unchanged.take_if(|_| answer.grouped.is_some());
    let Some(unchanged) = unchanged else { return };
    let told = format!(
        "more than one in ten people are singled out by what is released as it is: {}",
        unchanged.most_telling().join(", ")
    );
    let counted = std::mem::take(&mut document.warnings);
    let reasons = document.verdict.reasons.iter_mut().filter(|reason| counted.contains(*reason));
    reasons.for_each(|reason| reason.clone_from(&told));
    document.warnings = counted.into_iter().map(|_| told.clone()).collect();
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
