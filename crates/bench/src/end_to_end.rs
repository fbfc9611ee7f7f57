//! The whole way: a file is read, anonymized, written and verified. Beside it, the same file is read and written with the same
//! readers and writers and nothing else, which is what no program could undercut.

use crate::audience::{Audience, StopOnly};
use crate::dataset::{DataSet, Origin, write_hierarchy};
use crate::error::BenchError;
use crate::measure::Settings;
use crate::promise::Threshold;
use crate::results::EndToEnd;
use crate::timing::{Timings, milliseconds};
use paravent_core::values::ValueType;
use paravent_pipeline::encode::{CodedColumn, ScanError, scan};
use paravent_pipeline::job::{InputSource, Job};
use paravent_pipeline::read::{Input, ReadOptions};
use paravent_pipeline::run::{Registering, RunError, RunOptions, anonymize};
use paravent_pipeline::write::{ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, Replace, TableWriter};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is promised where no job says it.
const PRIVACY: &str = "k=5";

/// Measures a data set; everything is written into a folder that goes away again.
pub(crate) fn measure(
    dataset: &DataSet,
    suppression: &Threshold,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<EndToEnd, BenchError> {
    let scratch = tempfile::tempdir().map_err(BenchError::io(&std::env::temp_dir()))?;
    let setting = Setting::new(dataset, suppression, scratch.path(), settings.threads)?;
    let release = scratch.path().join("release");
    let options = RunOptions {
        replace: Replace::Force,
        output: Some(release.clone()),
        register: Registering::Never,
        ..RunOptions::default()
    };
    let (mut whole, mut plain) = (Timings::default(), Timings::default());
    let (mut rows, mut suppressed) = (0, 0);
    for repetition in 0..settings.warm_up + settings.repeat.max(1) {
        let measured = repetition >= settings.warm_up;
        audience.run("anonymize", (repetition + 1).saturating_sub(settings.warm_up));
        let started = Instant::now();
        let finished =
            anonymize(&setting.job, &options, &StopOnly(audience)).map_err(|error| match error {
                RunError::Stopped => BenchError::Stopped,
                other => BenchError::Run { dataset: dataset.name.clone(), source: Box::new(other) },
            })?;
        if measured {
            whole.add(started.elapsed());
        }
        (rows, suppressed) = (finished.document.input.rows, finished.document.solution.suppressed_rows);
        audience.run("read and write", (repetition + 1).saturating_sub(settings.warm_up));
        let started = Instant::now();
        rewrite(&setting.table, &scratch.path().join("copy.csv"), audience)?;
        if measured {
            plain.add(started.elapsed());
        }
    }
    let (whole, plain) = (whole.median(), plain.median());
    let per_second = |time: std::time::Duration| rows as f64 / time.as_secs_f64().max(1e-9);
    Ok(EndToEnd {
        dataset: dataset.name.clone(),
        rows,
        bytes: fs::metadata(&setting.table).map_err(BenchError::io(&setting.table))?.len(),
        privacy: setting.privacy,
        anonymize_ms: milliseconds(whole),
        rewrite_ms: milliseconds(plain),
        times_rewrite: whole.as_secs_f64() / plain.as_secs_f64().max(1e-9),
        rows_per_second: per_second(whole),
        rewrite_rows_per_second: per_second(plain),
        suppressed_rows: suppressed,
    })
}

/// Reads a table and writes it again as CSV, cell by cell the same.
fn rewrite(table: &Path, copy: &Path, audience: &dyn Audience) -> Result<(), BenchError> {
    let mut source = Input::new(ReadOptions::new(table))?.open()?;
    let names = source.columns().to_vec();
    let all: Vec<usize> = (0..names.len()).collect();
    source.select(&all)?;
    let mut coded: Vec<CodedColumn> =
        names.iter().map(|name| CodedColumn::new(name, ValueType::String)).collect();
    let mut rows: Vec<u32> = Vec::new();
    let width = names.len().max(1);
    scan(source, table.to_owned(), &mut coded, |row| rows.extend_from_slice(row), |_| !audience.stop())
        .map_err(|error| match error {
            ScanError::Stopped => BenchError::Stopped,
            other => BenchError::Scan(other),
        })?;
    let released = |column: &CodedColumn| ReleasedColumn {
        name: column.name.clone(),
        kind: ColumnKind::Text,
        cells: column.dictionary.cells().into_iter().map(|cell| cell.map(str::to_owned)).collect(),
    };
    let columns: Vec<ReleasedColumn> = coded.iter().map(released).collect();
    let failed = |error: paravent_pipeline::write::WriteError| BenchError::internal(error.to_string());
    let file = File::create(copy).map_err(BenchError::io(copy))?;
    let mut writer =
        TableWriter::new(copy, file, &OutputFormat::Csv(CsvStyle::default()), &columns).map_err(failed)?;
    for row in rows.chunks_exact(width) {
        writer.push(row, 1).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(())
}

/// The files to start from.
struct Setting {
    table: PathBuf,
    job: PathBuf,
    privacy: String,
}

impl Setting {
    fn new(
        dataset: &DataSet,
        suppression: &Threshold,
        scratch: &Path,
        threads: usize,
    ) -> Result<Setting, BenchError> {
        match &dataset.origin {
            Origin::Job(path) => {
                let job = Job::load(path)?;
                let InputSource::File(table) = &job.input.source else {
                    let problem = job.problem("input", "only a table in a file can be read again and again");
                    return Err(problem.into());
                };
                let privacy: Vec<&str> = job.privacy.models.iter().map(|model| model.name().name()).collect();
                Ok(Setting { table: job.resolve(table), job: path.clone(), privacy: privacy.join(",") })
            }
            Origin::Files { table, hierarchies } => {
                let table = std::path::absolute(table).map_err(BenchError::io(table))?;
                let mut files = Vec::new();
                for (column, file) in hierarchies {
                    files.push((column.clone(), std::path::absolute(file).map_err(BenchError::io(file))?));
                }
                Setting::with_job(table, &files, suppression, scratch, threads)
            }
            Origin::Generated => {
                let table = scratch.join("table.csv");
                write_table(dataset, &table).map_err(BenchError::io(&table))?;
                let mut files = Vec::new();
                for column in &dataset.columns {
                    let file = scratch.join(format!("{}.hierarchy.csv", column.coded.name));
                    write_hierarchy(column, &file).map_err(BenchError::io(&file))?;
                    files.push((column.coded.name.clone(), file));
                }
                Setting::with_job(table, &files, suppression, scratch, threads)
            }
        }
    }

    fn with_job(
        table: PathBuf,
        hierarchies: &[(String, PathBuf)],
        suppression: &Threshold,
        scratch: &Path,
        threads: usize,
    ) -> Result<Setting, BenchError> {
        // A JSON string is a TOML string as well.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let shown = |path: &Path| quoted(&path.to_string_lossy());
        let mut job = format!("version = 1\n[input]\npath = {}\n", shown(&table));
        for (column, file) in hierarchies {
            let (name, file) = (quoted(column), shown(file));
            // Writing to a string cannot fail.
            let _ = writeln!(
                job,
                "[[attributes]]\nname = {name}\nrole = \"quasi-identifier\"\ntype = \"string\"\nhierarchy = {{ file = {file} }}"
            );
        }
        let limit = suppression.as_str();
        let _ = writeln!(
            job,
            "[privacy]\nsuppression_limit = {limit}\nmodels = [{{ model = \"k-anonymity\", k = 5 }}]\n[search]\nmetric = \"nuem\"\nthreads = {threads}"
        );
        let path = scratch.join("paravent.toml");
        fs::write(&path, job).map_err(BenchError::io(&path))?;
        Ok(Setting { table, job: path, privacy: PRIVACY.to_owned() })
    }
}

fn write_table(dataset: &DataSet, path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let names: Vec<&str> = dataset.columns.iter().map(|column| column.coded.name.as_str()).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in 0..dataset.rows {
        for (position, column) in dataset.columns.iter().enumerate() {
            let cell = column.coded.dictionary.cell(column.codes[row]).unwrap_or_default();
            write!(out, "{}{cell}", if position > 0 { "," } else { "" })?;
        }
        writeln!(out)?;
    }
    out.flush()
}
