//! The best generalization of tuples that another engine counted.

use super::count::{budget_of, coded_columns, population_rows, settle_types, table_problem};
use super::levels::Levels;
use super::models::{Constrained, Translation};
use super::search::JobSearch;
use super::task::task;
use super::{Found, StudyError};
use paravent_core::hierarchy::Hierarchy;
use paravent_core::task::Task;
use paravent_core::values::ValueType;
use paravent_job::{Job, Population, Role};
use paravent_tables::encode::{CodedColumn, CountError, Counted, Origin, PopulationCount, ScanError, Seen};
use paravent_tables::spill::CountingTuples;
use paravent_tables::watch::Watch;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Counts of tuples as they arrive, for example from a `GROUP BY`.
#[derive(Debug)]
pub struct Counting {
    columns: Vec<CodedColumn>,
    quasi: usize,
    tuples: CountingTuples,
    arrived: u64,
    path: PathBuf,
}

impl Counting {
    /// Nothing counted yet. Models with a population read it from its own file; a subset column cannot be told from counts.
    pub fn new(job: &Job) -> Result<Counting, StudyError> {
        if let Some(Population::Subset(_)) = job.privacy.population() {
            let problem = job.problem("privacy.models", "a subset column cannot be used here");
            return Err(problem.advise("Select the rows to release, and name the population's file").into());
        }
        super::refuse_treatments(job, "generalize")?;
        let constrained = Constrained::of(&job.privacy.models);
        let columns = coded_columns(job, &constrained);
        let quasi = job.with_role(Role::QuasiIdentifier).count();
        let tuples = CountingTuples::new(columns.len() + 1, budget_of(job));
        Ok(Counting { columns, quasi, tuples, arrived: 0, path: PathBuf::from("the relation") })
    }

    /// The columns whose cells [`add`](Self::add) wants, in that order: quasi-identifiers, then constrained sensitive columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Adds rows that all show these cells. Gives back the cells' codes, which stay valid until the question is asked.
    pub fn add(&mut self, cells: &[Option<&str>], rows: u64) -> Result<(), StudyError> {
        self.arrived += 1;
        let mut tuple = Vec::with_capacity(cells.len() + 1);
        for (column, &cell) in self.columns.iter_mut().zip(cells) {
            let (known, typed) = (column.dictionary.len(), column.value_type);
            let code = match typed {
                ValueType::String => column.dictionary.intern(cell),
                typed => column.dictionary.intern_value(cell, |text| typed.canonical(text)),
            };
            if code as usize == known {
                let seen = Seen { line: None, row: self.arrived, in_population: false };
                if cell.is_some_and(|cell| !typed.accepts(cell)) {
                    let (path, column) = (self.path.clone(), column.name.clone());
                    return Err(ScanError::WrongType { path, column, expected: typed.name(), seen }.into());
                }
                column.first_seen.push(seen);
            }
            tuple.push(code);
        }
        tuple.push(Origin::Table as u32);
        Ok(self.tuples.add(&tuple, rows)?)
    }
}

/// A job about tuples that were counted elsewhere, ready to be searched.
#[derive(Debug)]
pub struct Question {
    /// The job; its input and output do not matter.
    pub job: Job,
    /// The counted tuples.
    pub counted: Counted,
    /// What is to be solved.
    pub task: Task,
}

impl Question {
    /// Brings counted tuples to the point where the search can start. Columns in `given` climb the hierarchy there, not the job's.
    pub fn new(
        job: Job,
        counting: Counting,
        given: &BTreeMap<String, Hierarchy>,
        watch: &dyn Watch,
    ) -> Result<Question, StudyError> {
        let Counting { mut columns, quasi, mut tuples, path, .. } = counting;
        if tuples.is_empty() {
            return Err(ScanError::NoRows { path }.into());
        }
        let constrained = Constrained::of(&job.privacy.models);
        let width = columns.len();
        population_rows(&job, &mut columns[..quasi], width, &mut tuples, watch)?;
        let mut counted = Counted::new(columns, quasi, tuples.finish()?)?;
        let how = match job.privacy.population() {
            None => PopulationCount::None,
            Some(_) => PopulationCount::OthersAreThePopulation,
        };
        let (table, combinations) =
            counted.frequency_table(&constrained.views, how).map_err(|error| match error {
                CountError::Table(error) => table_problem(&job, &path, &error),
                CountError::Spill(error) => error.into(),
            })?;
        settle_types(&job, &mut counted);
        let levels = Levels::climb(&job, None, given, &counted, &path, false)?;
        let table = Arc::new(table);
        let translation = Translation {
            job: &job,
            constrained: &constrained,
            columns: &counted.columns[quasi..],
            table: &table,
            combinations: &combinations,
            people: None,
            input: &path,
        };
        let task = task(&translation, &table, None, levels.columns)?;
        Ok(Question { job, counted, task })
    }

    /// The best node and the fate of every tuple of the frequency table.
    pub fn search(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        JobSearch { job: &self.job, counted: &self.counted, watch }.search(&self.task)
    }

    /// The code of a cell of a quasi-identifier, however it is spelled.
    pub fn code(&self, quasi: usize, cell: Option<&str>) -> Option<u32> {
        let column = &self.counted.columns[quasi];
        let canonical = cell.map(|cell| column.spelling.canonical(cell));
        column.dictionary.code(cell).or_else(|| column.dictionary.code(canonical.as_deref()))
    }
}
