//! A release that is a table in the database where its input lives: made there, counted there by the verifier, and renamed.

use super::make::{Data, Folders, Made, Making};
use super::{Published, RunError, Solved, seconds};
use crate::files::{put, put_private};
use crate::release::{
    ReleasedTable, SigningKey, elsewhere, key_problem, left_out, naming_problem, output_format, view,
};
use paravent_assess::attack::AttackOptions;
use paravent_assess::risk::{before_after, released};
use paravent_core::release::Solution;
use paravent_evidence::columns::{ColumnCells, identifying};
use paravent_job::{InputSource, Job, Problems, Release, Role, SuppressedRows};
use paravent_prepare::study::{Study, Treatment};
use paravent_report::{self as report, Document, OutputFacts, UnchangedColumn, UnchangedFacts};
use paravent_tables::engine::{EmptyCells, Engine, EngineError, Occupied, TableName};
use paravent_tables::read::{EngineTable, ReadError, ReadOptions};
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::{Replace, Staging, WriteError, Written};
use paravent_verify::{CountedRows, Verification, VerifyError, verify_counted};
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::{Rng, SeedableRng};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The table that a job wants to be made, where it wants one.
///
/// # Errors
/// If it would have to be made anywhere but beside its input: rows would travel.
pub(super) fn target(job: &Job) -> Result<Option<TableName>, Problems> {
    let Some(wanted) = &job.output.table else { return Ok(None) };
    let InputSource::Engine { url, .. } = &job.input.source else {
        let problem = job.problem("output.table", "a table is made only where the input is one");
        return Err(problem.advise("Leave it out to get files, or name the input with url and table").into());
    };
    if wanted.url.as_ref().is_some_and(|other| other != url) {
        let problem = job.problem("output.url", "must be the address of the input: rows do not travel");
        return Err(problem.advise("Leave it out").into());
    }
    if job.input.null.len() != 1 || job.input.null.iter().any(|text| !text.is_empty()) {
        let problem =
            job.problem("input.null", "cells of a table that is made in its database stay as they are");
        return Err(problem.advise("Leave it out, and make a view that has NULL instead").into());
    }
    if job.output.suppressed != SuppressedRows::Drop {
        let problem = job.problem("output.suppressed", "a table has the released rows only");
        return Err(problem.advise("Leave it out").into());
    }
    let unreadable = || job.problem("output.table", "the name of the table cannot be read");
    let name = TableName::parse(&wanted.table).ok_or_else(unreadable)?;
    Ok(Some(name))
}

/// Refuses a name that is taken, before the table is recoded.
pub(super) fn refuse_occupied(study: &Study, target: &TableName, replace: Replace) -> Result<(), RunError> {
    let Some(table) = study.input.engine() else { return Ok(()) };
    table.engine().refuse_occupied(target, occupied(replace)).map_err(|error| failed(study, error))
}

fn occupied(replace: Replace) -> Occupied {
    match replace {
        Replace::Refuse => Occupied::Refuse,
        _ => Occupied::Replace,
    }
}

/// A table that is not visible to others yet.
pub(super) struct Placed {
    engine: Arc<dyn Engine>,
    staged: TableName,
    target: TableName,
    /// For messages.
    path: PathBuf,
}

/// The folders of a release without a data file.
struct WithoutData {
    staging: Staging,
    rows: CountedRows,
}

impl Folders for WithoutData {
    fn data(&mut self, name: &str, _: u64) -> Result<File, WriteError> {
        self.staging.create(name)
    }

    fn shown(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        put(&self.staging, name, bytes)
    }

    fn put_private(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        put_private(&self.staging, name, bytes)
    }

    fn target(&self) -> AttackOptions {
        AttackOptions { release: Some(self.staging.path().to_owned()), ..AttackOptions::default() }
    }

    fn verify(&self) -> Result<Verification, VerifyError> {
        verify_counted(self.staging.path(), &self.rows, None)
    }
}

impl Solved {
    /// Recodes in the database, has the verifier count there, and describes what it counted.
    pub(super) fn placed(
        mut self,
        target: TableName,
        staging: Staging,
        key: Option<&SigningKey>,
        watch: &dyn Watch,
    ) -> Result<(Made, Staging, Placed), RunError> {
        let Some(table) = self.study.input.engine().cloned() else {
            return Err(failed(&self.study, EngineError::NoTable { table: target.to_string() }));
        };
        refuse_unseen(&self.study)?;
        self.study.settle_released_types(&self.solution)?;
        let started = Instant::now();
        watch.begin(Phase::Recoding);
        let staged = target.beside(&format!("paravent_staged_{:016x}", random()?));
        let recoding = elsewhere::upload(&self.study, &self.solution, &table)?;
        let rows = table.engine().create(&staged, &recoding).map_err(|error| failed(&self.study, error))?;
        if rows != self.study.table.row_count() - self.solution.suppressed_rows {
            return Err(failed(&self.study, EngineError::Changed));
        }
        let columns: Vec<String> =
            self.study.counted.columns.iter().map(|column| column.name.clone()).collect();
        let options = self.study.input.options();
        let counted = counted_rows(&table, &staged, &columns, options)?;
        let unchanged = unchanged(&self.study, &self.solution, &table, &staged)?;
        self.document.risk = Some(before_after(&self.study, &self.solution)?);
        self.document.unchanged.clone_from(&unchanged);
        let written = Written { rows, sha256: counted.digest() };
        let name = format!("table {target}");
        self.document.output = Some(OutputFacts {
            path: name.clone(),
            rows,
            sha256: written.sha256.clone(),
            verified: true,
            seconds: 0.0,
            signed_by: key.map(|key| key.public()),
        });
        let view = view(&self.study, &self.found, &self.solution, self.document.clone())?;
        let outside = report::external(&view, released(&self.study, &self.solution)?);
        let folders = WithoutData { staging, rows: counted };
        let format = output_format(&self.study, &[]);
        let mut data = Data {
            folders,
            name,
            written,
            people: None,
            format,
            unchanged,
            released: ReleasedTable::elsewhere()?,
        };
        let making = Making { study: &self.study, found: &self.found, solution: &self.solution };
        let verification = making.describe(&mut data, &outside, key, watch)?;
        if !verification.holds() {
            return Err(RunError::Refuted(Box::new(verification)));
        }
        if let Some(output) = &mut self.document.output {
            output.seconds = seconds(started);
        }
        let left_out = left_out(&self.study, &self.solution)?;
        self.document.suppressed = Some(left_out).filter(|left_out| left_out.classes > 0);
        let placed =
            Placed { engine: table.engine().clone(), staged, target, path: self.study.input_path.clone() };
        let Data { folders, name, written, released, .. } = data;
        Ok((Made { solved: self, view, verification, name, written, released }, folders.staging, placed))
    }
}

impl Placed {
    /// Lets the table appear, then what describes it. If that fails, the table goes again.
    pub(super) fn publish(
        self,
        made: &Made,
        staging: Staging,
        to: &Published<'_>,
        watch: &dyn Watch,
    ) -> Result<Document, RunError> {
        let failed = |error| RunError::from(ReadError::Engine { path: self.path.clone(), error });
        self.engine.publish(&self.staged, &self.target, occupied(to.replace)).map_err(failed)?;
        made.publish(staging, to, watch).map_err(|error| match self.engine.withdraw(&self.target) {
            Ok(()) => error,
            Err(_) => failed(EngineError::OutcomeUnknown { table: self.target.to_string() }),
        })
    }
}

/// Equal rows of a table in a database, counted in these columns.
pub fn counted_rows(
    table: &EngineTable,
    name: &TableName,
    columns: &[String],
    options: &ReadOptions,
) -> Result<CountedRows, ReadError> {
    let (header, lines) = table.counted(name, columns, options)?;
    Ok(CountedRows { header, columns: columns.to_vec(), lines })
}

/// Columns that no promise is about stay in the database, so nobody here sees whether they name people. The owner says so.
fn refuse_unseen(study: &Study) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for (_, column) in study.columns.released() {
        let Some((index, attribute)) = study.job.attribute(&column.name) else { continue };
        let is_seen =
            attribute.role == Role::QuasiIdentifier || study.counted_position(&column.name).is_some();
        if !is_seen && attribute.release != Some(Release::AsItIs) {
            let message = format!(
                "the cells of {} stay in the database, so nobody has looked whether they name people",
                column.name
            );
            let key = format!("attributes[{index}].role");
            problems.push(study.job.problem(&key, message).advise(
                "If it may leave, add release = \"as it is\"; else write role = \"identifying\" to leave it out",
            ));
        }
    }
    problems.into_result(())
}

/// What the columns tell that are released as they are, counted in the database.
fn unchanged(
    study: &Study,
    solution: &Solution,
    table: &EngineTable,
    staged: &TableName,
) -> Result<Option<UnchangedFacts>, RunError> {
    let once = |columns: &[String]| {
        let told = table.engine().repeats(staged, columns, EmptyCells::AreValues);
        told.map(|told| told.once).map_err(|error| failed(study, error))
    };
    let kept = study.kept_rows_by_code(solution)?;
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    let mut problems = Problems::default();
    for (_, column) in study.columns.released() {
        if matches!(column.treatment, Treatment::QuasiIdentifier(_)) {
            continue;
        }
        let Some((index, attribute)) = study.job.attribute(&column.name) else { continue };
        let place = study.counted_position(&column.name);
        let known = place.map(|at| (study.counted.columns[at].dictionary.cells(), &kept[at]));
        let shown = known.iter().flat_map(|(cells, rows)| cells.iter().zip(rows.iter()));
        let (cells, rows): (Vec<&str>, Vec<u64>) =
            shown.filter(|(_, rows)| **rows > 0).filter_map(|(cell, rows)| Some(((*cell)?, *rows))).unzip();
        let people = rows.iter().sum();
        let told = identifying(&ColumnCells { name: &column.name, cells: &cells, people });
        if let Some(told) = told.filter(|_| attribute.release != Some(Release::AsItIs)) {
            problems.push(naming_problem(&study.job, Some(index), &column.name, told));
        }
        columns.push(UnchangedColumn {
            column: column.name.clone(),
            singled_out: once(std::slice::from_ref(&column.name))?,
            looks: told.map(|told| told.looks),
        });
        names.push(column.name.clone());
    }
    let leaving: Vec<&str> = names.iter().map(String::as_str).collect();
    for (column, name) in columns.iter().zip(&leaving).filter(|(column, _)| column.looks.is_none()) {
        let said = study
            .job
            .attribute(&column.column)
            .is_some_and(|(_, known)| known.release == Some(Release::AsItIs));
        problems.extend(key_problem(&study.job, &leaving, name).filter(|_| !said));
    }
    problems.into_result(())?;
    if names.is_empty() {
        return Ok(None);
    }
    let people = study.table.row_count() - solution.suppressed_rows;
    Ok(Some(UnchangedFacts { people, singled_out: once(&names)?, columns }))
}

fn random() -> Result<u64, RunError> {
    let random = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| RunError::NoRandomness);
    random.map(|mut random| random.next_u64())
}

fn failed(study: &Study, error: EngineError) -> RunError {
    ReadError::Engine { path: study.input_path.clone(), error }.into()
}
