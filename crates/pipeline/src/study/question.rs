//! The frequency seam: the best generalization of tuples that somebody else counted.

use super::count::{coded_columns, population_rows, settle_types, table_problem};
use super::levels::Levels;
use super::models::{Constrained, Translation};
use super::prepare::{criteria, too_large_classes};
use super::search::Ground;
use super::{Found, StudyError};
use crate::encode::{
    CodedColumn, Combinations, CountError, Counted, Frequencies, Origin, PopulationCount, ScanError, Seen,
};
use crate::job::{Job, Population, Role};
use crate::spill::{Budget, CountingTuples};
use crate::watch::Watch;
use paravent_core::criteria::Criteria;
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::lattice::{Lattice, NodeOrder};
use paravent_core::values::ValueType;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
            return Err(problem
                .advise("Select the rows to release, and name the population's file")
                .into_error());
        }
        let constrained = Constrained::of(&job.privacy.models);
        let columns = coded_columns(job, &constrained);
        let quasi = job.with_role(Role::QuasiIdentifier).count();
        let tuples = CountingTuples::new(columns.len() + 1, Budget::of_job(job));
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
    /// What the search sees of them.
    pub table: Frequencies,
    /// By quasi-identifier.
    pub ladders: Vec<Ladder>,
    /// The nodes that the job allows.
    pub lattice: Lattice,
    weights: Vec<f64>,
    order: NodeOrder,
    criteria: Criteria,
    suppression_limit: u64,
    constrained: Constrained,
    combinations: Vec<Combinations>,
    path: PathBuf,
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
        let names = job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.as_str());
        let order = NodeOrder::new(names.zip(&levels.ladders));
        let rows = table.row_count();
        let limit = Fraction::parse(job.privacy.suppression_limit.as_str())
            .map_err(|error| job.problem("privacy.suppression_limit", error.to_string()).into_error())?;
        let suppression_limit = limit.floor_of(rows).min(rows - 1);
        too_large_classes(&job, rows)?;
        let criteria = {
            let translation = Translation {
                job: &job,
                constrained: &constrained,
                columns: &counted.columns[quasi..],
                table: &table,
                combinations: &combinations,
                input: &path,
            };
            criteria(&translation, &job.privacy.models, suppression_limit)?
        };
        Ok(Question {
            ladders: levels.ladders,
            lattice: levels.lattice,
            weights: levels.weights,
            counted,
            table,
            order,
            criteria,
            suppression_limit,
            constrained,
            combinations,
            path,
            job,
        })
    }

    /// The best node and the fate of every tuple of the frequency table.
    pub fn search(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        let ground = Ground {
            job: &self.job,
            counted: &self.counted,
            table: &self.table,
            ladders: &self.ladders,
            weights: &self.weights,
            lattice: &self.lattice,
            order: &self.order,
            suppression_limit: self.suppression_limit,
        };
        let proven = || {
            let translation = Translation {
                job: &self.job,
                constrained: &self.constrained,
                columns: &self.counted.columns[self.counted.quasi_identifiers..],
                table: &self.table,
                combinations: &self.combinations,
                input: self.path(),
            };
            criteria(&translation, &self.job.privacy.models, self.suppression_limit)
        };
        ground.search(&self.criteria, proven, watch)
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// The code of a cell of a quasi-identifier, however it is spelled.
    pub fn code(&self, quasi: usize, cell: Option<&str>) -> Option<u32> {
        let column = &self.counted.columns[quasi];
        let canonical = cell.map(|cell| column.spelling.canonical(cell));
        column.dictionary.code(cell).or_else(|| column.dictionary.code(canonical.as_deref()))
    }
}
