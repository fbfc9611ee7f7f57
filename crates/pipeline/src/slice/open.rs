//! Opening tables and sliced releases.

use super::{CodedTable, SliceError};
use paravent_job::{InputSource, Job};
use paravent_prepare::study::read_options;
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
            InputSource::Stdin | InputSource::Postgres { .. } => false,
        };
        if own {
            options = ReadOptions { path: path.to_owned(), ..read_options(job)? };
        } else if matches!(Format::of_path(path), Some(Format::Csv | Format::Tsv) | None) {
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
    let file =
        output["file"].as_str().filter(|file| Path::new(file).file_name().is_some_and(|name| name == *file));
    let mut options = ReadOptions::new(directory.join(file.ok_or_else(|| wrong("output.file: missing"))?));
    options.format = output["format"].as_str().and_then(Format::from_name);
    if options.format == Some(Format::Csv) {
        options.delimiter = output["delimiter"].as_str().and_then(|text| text.bytes().next());
        options.null = output["null"].as_str().map(|text| vec![text.to_owned()]);
    }
    CodedTable::read(&Input::new(options)?)
}
