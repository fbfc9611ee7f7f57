//! One job on the same made-up table, wherever the table lives: in files here, in PostgreSQL, or in Spark.

use crate::audience::{Audience, StopOnly};
use crate::dataset::{Lake, Shape, write_lake};
use crate::error::BenchError;
use crate::timing::{Timings, milliseconds};
use paravent_core::words::{Columns, Lean};
use paravent_pipeline::engine::{self, Address, EngineError};
use paravent_pipeline::read::{Batch, Input, ReadOptions, Source};
use paravent_pipeline::run::{Finished, Registering, RunError, RunOptions, anonymize};
use paravent_pipeline::write::Replace;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Where the table lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In Parquet files, read and counted by this program.
    Embedded,
    /// Where an address says. In a database a table is made, and removed at the end; Spark reads the files where they are, so it must see
    /// the temporary files of this machine.
    Elsewhere {
        /// `postgres` or `spark`.
        engine: &'static str,
        /// The address without a table.
        url: String,
    },
}

impl Place {
    /// What it is called in the account.
    pub fn name(&self) -> &'static str {
        match self {
            Place::Embedded => "embedded",
            Place::Elsewhere { engine, .. } => engine,
        }
    }
}

/// The account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The table.
    pub dataset: String,
    /// Its rows.
    pub rows: u64,
    /// Different combinations of its quasi-identifiers.
    pub distinct_tuples: u64,
    /// A line for every place.
    pub engines: Vec<EngineResult>,
    /// Whether all made the same release, byte for byte.
    pub same_release: bool,
}

/// The figures of a place: medians.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineResult {
    /// `embedded`, `postgres` or `spark`.
    pub engine: &'static str,
    /// Counting the rows there.
    pub count_ms: f64,
    /// From the job to the verified release.
    pub whole_ms: f64,
    /// Rows a second, for the whole.
    pub rows_per_second: f64,
    /// Bytes that arrived until all was counted; absent where nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_bytes: Option<u64>,
    /// Digest of the released table.
    pub sha256: String,
}

/// Makes the table up, runs the job on it at every place, and holds the releases against each other.
///
/// # Errors
/// If a place cannot be reached, or a run fails. Tables that were made are removed again.
pub fn compare(
    shape: &Shape,
    places: &[Place],
    repeat: usize,
    audience: &dyn Audience,
) -> Result<Comparison, BenchError> {
    let scratch = tempfile::tempdir().map_err(BenchError::io(&std::env::temp_dir()))?;
    let lake = write_lake(shape, &scratch.path().join("lake"), audience)?;
    let mut comparison = Comparison {
        dataset: shape.name.clone(),
        rows: lake.rows,
        distinct_tuples: 0,
        engines: Vec::new(),
        same_release: true,
    };
    for (number, place) in places.iter().enumerate() {
        let table = match place {
            Place::Embedded => None,
            Place::Elsewhere { engine, url } => Some(Guest::load(engine, url, &lake, audience)?),
        };
        let (result, tuples) = measure(&lake, place, table.as_ref(), repeat, audience)?;
        if let Some(table) = table {
            table.remove()?;
        }
        comparison.distinct_tuples = tuples;
        comparison.same_release &= number == 0 || comparison.engines[0].sha256 == result.sha256;
        comparison.engines.push(result);
    }
    Ok(comparison)
}

fn measure(
    lake: &Lake,
    place: &Place,
    table: Option<&Guest>,
    repeat: usize,
    audience: &dyn Audience,
) -> Result<(EngineResult, u64), BenchError> {
    let job = job_at(&lake.job, table)?;
    let options = RunOptions {
        replace: Replace::Force,
        output: Some(lake.job.with_file_name(format!("release-{}", place.name()))),
        register: Registering::Never,
        ..RunOptions::default()
    };
    let (mut whole, mut count) = (Timings::default(), Timings::default());
    let mut last: Option<Finished> = None;
    for repetition in 1..=repeat.max(1) {
        audience.run(place.name(), repetition);
        let started = Instant::now();
        let finished = anonymize(&job, &options, &StopOnly(audience)).map_err(|error| match error {
            RunError::Stopped => BenchError::Stopped,
            other => BenchError::Run { dataset: place.name().to_owned(), source: Box::new(other) },
        })?;
        whole.add(started.elapsed());
        count.add(std::time::Duration::from_secs_f64(finished.document.input.seconds.max(0.0)));
        last = Some(finished);
    }
    let document = last.map(|finished| finished.document);
    let document = document.ok_or_else(|| BenchError::internal("no run".to_owned()))?;
    let output = document.output.ok_or_else(|| BenchError::internal("no release".to_owned()))?;
    let whole = whole.median();
    let result = EngineResult {
        engine: place.name(),
        count_ms: milliseconds(count.median()),
        whole_ms: milliseconds(whole),
        rows_per_second: document.input.rows as f64 / whole.as_secs_f64().max(1e-9),
        received_bytes: document.input.received_bytes,
        sha256: output.sha256,
    };
    Ok((result, document.input.distinct_tuples))
}

/// The job, about the table at its place.
fn job_at(job: &Path, table: Option<&Guest>) -> Result<PathBuf, BenchError> {
    let Some(table) = table else { return Ok(job.to_owned()) };
    let text = fs::read_to_string(job).map_err(BenchError::io(job))?;
    // A JSON string is a TOML string as well.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let source =
        format!("url = {}\ntable = {}", quoted(&table.url), quoted(&table.address.table.to_string()));
    let path = job.with_file_name(format!("{}.toml", table.engine_name));
    fs::write(&path, text.replacen("path = \"table\"", &source, 1)).map_err(BenchError::io(&path))?;
    Ok(path)
}

/// A table that an engine sees. If it was made there, it goes when this does.
struct Guest {
    engine_name: &'static str,
    engine: Arc<dyn engine::Engine>,
    url: String,
    address: Address,
    is_there: bool,
}

impl Guest {
    fn load(
        engine_name: &'static str,
        url: &str,
        lake: &Lake,
        audience: &dyn Audience,
    ) -> Result<Guest, BenchError> {
        let failed = |source| BenchError::Engine { engine: engine_name, source };
        let reads_files = engine_name == "spark";
        let name = match reads_files {
            true => format!("parquet:{}", lake.table.display()),
            false => format!("paravent_bench_{:08x}{:08x}", std::process::id(), lake.rows),
        };
        let address =
            Address::parse(&format!("{url}#{name}")).map_err(|error| failed(EngineError::Address(error)))?;
        let engine = engine::open(&address).map_err(failed)?;
        let mut guest = Guest { engine_name, engine, url: url.to_owned(), address, is_there: false };
        if reads_files {
            return Ok(guest);
        }
        let mut source = Input::new(ReadOptions::new(&lake.table))?.open()?;
        let columns = source.columns().to_vec();
        source.select(&(0..columns.len()).collect::<Vec<_>>())?;
        let mut rows =
            Rows { source, batch: Batch::default(), at: 0, is_over: false, failed: None, audience };
        let filled = guest.engine.fill(&guest.address.table, &columns, &mut rows);
        guest.is_there = filled.is_ok();
        match rows.failed {
            Some(error) => Err(error),
            None => filled.map(|()| guest).map_err(failed),
        }
    }

    fn remove(mut self) -> Result<(), BenchError> {
        if !std::mem::replace(&mut self.is_there, false) {
            return Ok(());
        }
        let failed = |source: EngineError| BenchError::Engine { engine: self.engine_name, source };
        self.engine.withdraw(&self.address.table).map_err(failed)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if self.is_there {
            let _ = self.engine.withdraw(&self.address.table);
        }
    }
}

/// The rows of a source, one by one.
struct Rows<'a> {
    source: Source,
    batch: Batch,
    at: usize,
    is_over: bool,
    failed: Option<BenchError>,
    audience: &'a dyn Audience,
}

impl Iterator for Rows<'_> {
    type Item = Vec<Option<String>>;

    fn next(&mut self) -> Option<Vec<Option<String>>> {
        if self.is_over {
            return None;
        }
        if self.at == self.batch.rows {
            self.at = 0;
            self.is_over = true;
            if self.audience.stop() {
                self.failed = Some(BenchError::Stopped);
                return None;
            }
            match self.source.next_batch(&mut self.batch) {
                Ok(true) => self.is_over = false,
                Ok(false) => return None,
                Err(error) => {
                    self.failed = Some(error.into());
                    return None;
                }
            }
        }
        let row = self.batch.columns.iter().map(|column| column.get(self.at).map(str::to_owned)).collect();
        self.at += 1;
        Some(row)
    }
}

/// The account as text.
pub fn text(comparison: &Comparison) -> String {
    let mut text = format!(
        "{}: {} rows, {} different combinations; 5-anonymity, from the job to the verified release\n\n",
        comparison.dataset, comparison.rows, comparison.distinct_tuples
    );
    let heading = ["counting", "whole", "rows/s", "received"].map(|name| (name, Lean::Right));
    let mut columns = Columns::headed(&[&[("engine", Lean::Left)][..], &heading].concat());
    for result in &comparison.engines {
        let received = result.received_bytes.map_or("-".to_owned(), |bytes| format!("{bytes} B"));
        columns.row([
            result.engine.to_string(),
            format!("{:.2} ms", result.count_ms),
            format!("{:.2} ms", result.whole_ms),
            format!("{:.0}", result.rows_per_second),
            received,
        ]);
    }
    text.push_str(&columns.render());
    let verdict = match comparison.same_release {
        true => "The releases are the same, byte for byte.",
        false => "THE RELEASES DIFFER",
    };
    text.push_str(&format!("\n{verdict}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;

    #[test]
    fn a_place_alone_agrees_with_itself() {
        let shape: Shape = "rows=500,qi=3".parse().unwrap();
        let comparison = compare(&shape, &[Place::Embedded, Place::Embedded], 1, &Nobody).unwrap();
        assert!(comparison.same_release && comparison.engines.len() == 2 && comparison.rows == 500);
        assert!(text(&comparison).contains("byte for byte"));
        let other = EngineResult { sha256: String::new(), ..comparison.engines[0].clone() };
        let differing = Comparison { engines: vec![other], same_release: false, ..comparison };
        assert!(text(&differing).contains("DIFFER"));
    }

    #[test]
    fn an_address_that_nobody_opens_is_told() {
        let shape: Shape = "rows=50,qi=2".parse().unwrap();
        let place = Place::Elsewhere { engine: "postgres", url: "postgres://127.0.0.1:1/none".to_owned() };
        let error = compare(&shape, &[place], 1, &Nobody).unwrap_err();
        assert!(matches!(error, BenchError::Engine { engine: "postgres", .. }), "{error}");
    }
}
