//! Opening tables and sliced releases.

use super::{CodedTable, SliceError};
use paravent_job::{InputSource, Job};
use paravent_prepare::study::{null_texts, read_options};
use paravent_tables::engine::Address;
use paravent_tables::read::{Format, Input, ReadOptions};
use serde_json::Value;
use std::path::Path;

/// A table file. The job's own table is stored as the job says; of other files everything is found out, but for the texts of a missing value.
pub fn input(path: &Path, job: Option<&Job>) -> Result<Input, SliceError> {
    let mut options = ReadOptions::new(path);
    if let Some(job) = job {
        let own = match &job.input.source {
            InputSource::File(own) => match (job.resolve(own).canonicalize(), path.canonicalize()) {
                (Ok(own), Ok(this)) => own == this,
                _ => false,
            },
            InputSource::Stdin | InputSource::Engine { .. } => false,
        };
        if own {
            options = ReadOptions { path: path.to_owned(), ..read_options(job)? };
        } else if Address::is_one(path) {
            options.null = null_texts(job, None, path);
        } else if matches!(Format::of_table(path), Some(Format::Csv | Format::Tsv) | None) {
            options.null = Some(job.input.null.clone());
        }
    }
    Ok(Input::new(options)?)
}

fn manifest(directory: &Path) -> Option<Value> {
    let bytes = std::fs::read(directory.join("manifest.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&bytes).ok()?;
    (manifest["kind"] == "slice").then_some(manifest)
}

/// The groups of a sliced release; `None` for anything else.
pub fn sliced_groups(directory: &Path) -> Option<Vec<Vec<String>>> {
    serde_json::from_value(manifest(directory)?["groups"].clone()).ok()
}

/// The rows of a sliced release.
pub fn read_sliced_release(directory: &Path) -> Result<CodedTable, SliceError> {
    let wrong = |what: &str| SliceError::Request(format!("{}: {what}", directory.display()));
    let manifest = manifest(directory).ok_or_else(|| wrong("not a sliced release"))?;
    let output = &manifest["output"];
    let options = ReadOptions::of_release(directory, output).map_err(|what| wrong(&what))?;
    CodedTable::read(&Input::new(options)?)
}
