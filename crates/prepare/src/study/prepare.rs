//! Brings a job to the point where the search can start.

use super::columns::{ColumnPlan, Treatment};
use super::count::{CountedTable, SubsetFlags, read_options};
use super::levels::Levels;
use super::models::{Constrained, Translation};
use super::people::TablePeople;
use super::task::task;
use crate::transform::Transform;
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::release::{Fate, Solution};
use paravent_core::search::SearchError;
use paravent_core::task::Task;
use paravent_core::values::ValueType;
use paravent_job::{self as job, Job, Problem, Problems};
use paravent_tables::encode::{
    CodedColumn, Combinations, Counted, CountedTuple, Frequencies, ScanError, SensitiveView,
};
use paravent_tables::missing_words::{self, reads_like_missing};
use paravent_tables::read::{Dialect, Encoding, Fingerprint, Input, ReadError};
use paravent_tables::watch::Watch;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A job whose table has been read and counted.
#[derive(Debug)]
pub struct Study {
    /// The job.
    pub job: Job,
    /// The table; can be read again.
    pub input: Input,
    /// Where it is, for messages.
    pub input_path: PathBuf,
    /// How it turned out to be stored.
    pub dialect: Dialect,
    /// What the file looked like when it was read.
    pub fingerprint: Fingerprint,
    /// Which column is what.
    pub columns: ColumnPlan,
    /// The counted tuples.
    pub counted: Counted,
    /// What the search sees of them.
    pub table: Arc<Frequencies>,
    /// By quasi-identifier.
    pub hierarchies: Vec<Hierarchy>,
    /// What is to be solved: the quasi-identifiers with the levels that the job allows, the criteria, the metric and the limit.
    pub task: Task,
    /// Whether an earlier transformation says which node it is, so that the job's levels do not matter.
    pub levels_are_given: bool,
    /// Whose rows they are, where the job says how to tell.
    pub people: Option<TablePeople>,
    /// Rows of the population, where there is one.
    pub population_rows: Option<u64>,
    /// Things the user should know.
    pub warnings: Vec<String>,
    /// Time it took.
    pub elapsed: Duration,
    pub(super) constrained: Constrained,
    pub(super) combinations: Vec<Combinations>,
    pub(super) subset: SubsetFlags,
}
/// Why a job could not be prepared or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The job, a hierarchy or the table's columns are at fault.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The table could not be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The search gave up.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The system makes no more threads.
    #[error("the run needs threads, and the system makes none: {0}")]
    Threads(std::io::Error),
}

impl From<ReadError> for StudyError {
    fn from(error: ReadError) -> StudyError {
        StudyError::Scan(ScanError::Read(error))
    }
}
impl Study {
    /// The levels of a node by the names of the quasi-identifiers, in job order.
    pub fn transformation(&self, node: &paravent_core::lattice::Node) -> Map<String, Value> {
        let names = self.job.with_role(job::Role::QuasiIdentifier).map(|attribute| attribute.name.clone());
        names.zip(node.levels().iter().map(|&level| json!(level))).collect()
    }

    /// Reads and counts the table of a job. With `fixed`, hierarchies and levels are those of an earlier transformation.
    /// `show_values` lets messages quote cells that have no place in a hierarchy.
    pub fn prepare(
        job: Job,
        fixed: Option<&Transform>,
        show_values: bool,
        watch: &dyn Watch,
    ) -> Result<Study, StudyError> {
        let started = Instant::now();
        let input = Input::new(read_options(&job)?)?;
        Study::prepared(job, input, fixed, show_values, started, watch)
    }

    /// The same for a table that is in memory, or was opened already; where the job's own table is does not matter.
    pub fn prepare_input(
        job: Job,
        input: Input,
        fixed: Option<&Transform>,
        show_values: bool,
        watch: &dyn Watch,
    ) -> Result<Study, StudyError> {
        Study::prepared(job, input, fixed, show_values, Instant::now(), watch)
    }

    fn prepared(
        job: Job,
        input: Input,
        fixed: Option<&Transform>,
        show_values: bool,
        started: Instant,
        watch: &dyn Watch,
    ) -> Result<Study, StudyError> {
        let mut job = job;
        super::truths::settle(&mut job, &input)?;
        let read = CountedTable::read(&job, input, show_values, watch)?;
        Study::of_counted(job, read, fixed, show_values, started)
    }

    /// The study of a job whose table was counted.
    pub(super) fn of_counted(
        job: Job,
        read: CountedTable,
        fixed: Option<&Transform>,
        show_values: bool,
        started: Instant,
    ) -> Result<Study, StudyError> {
        let quasi = read.counted.quasi_identifiers;
        let levels = Levels::climb(&job, fixed, &BTreeMap::new(), &read.counted, &read.path, show_values)?;
        let people = read.people;
        let table = read.table;
        let translation = Translation {
            job: &job,
            constrained: &read.constrained,
            columns: &read.counted.columns[quasi..],
            table: &table,
            combinations: &read.combinations,
            people: people.as_ref().map(|people| &*people.people),
            input: &read.path,
        };
        let task = task(&translation, &table, people.as_ref(), levels.columns)?;
        let task = if job.search.practical_monotonicity { task.assuming_monotonicity() } else { task };
        let mut warnings = warnings(&job, &read.columns);
        warnings.extend(super::treatments::warnings(&job, people.is_some()));
        warnings.extend(people.iter().flat_map(|people| people.spellings.warnings()));
        for column in &read.counted.columns[quasi..] {
            let cells = column.dictionary.cells();
            let words: Vec<&str> =
                cells.into_iter().flatten().filter(|cell| reads_like_missing(cell)).collect();
            warnings.extend(missing_words::warning(&column.name, &words));
        }
        if job.input.encoding.is_none() && read.dialect.encoding == Some(Encoding::Latin1) {
            warnings.push(
                "the table is not UTF-8 and was read as Latin-1 (say so with encoding = \"latin-1\")"
                    .to_owned(),
            );
        }
        Ok(Study {
            input: read.input,
            input_path: read.path,
            dialect: read.dialect,
            fingerprint: read.fingerprint,
            columns: read.columns,
            counted: read.counted,
            table,
            hierarchies: levels.hierarchies,
            task,
            levels_are_given: fixed.is_some(),
            people,
            population_rows: read.population_rows,
            warnings,
            elapsed: started.elapsed(),
            constrained: read.constrained,
            combinations: read.combinations,
            subset: read.subset,
            job,
        })
    }

    pub(super) fn translation(&self) -> Translation<'_> {
        Translation {
            job: &self.job,
            constrained: &self.constrained,
            columns: &self.counted.columns[self.counted.quasi_identifiers..],
            table: &self.table,
            combinations: &self.combinations,
            people: self.people.as_ref().map(|people| &*people.people),
            input: &self.input_path,
        }
    }

    pub(super) fn sensitive_column(&self, attribute: &str) -> (usize, &CodedColumn) {
        let position = self.constrained.column_of(attribute).unwrap_or_default();
        (position, &self.counted.columns[self.counted.quasi_identifiers + position])
    }

    /// The views of the sensitive columns that criteria read, one per histogram of the frequency table.
    pub fn sensitive_views(&self) -> &[SensitiveView] {
        &self.constrained.views
    }

    /// By view: the combinations behind its codes.
    pub fn combinations(&self) -> &[Combinations] {
        &self.combinations
    }

    /// Position of a constrained sensitive column among the counted columns.
    pub fn counted_position(&self, column: &str) -> Option<usize> {
        self.constrained.column_of(column).map(|position| self.counted.quasi_identifiers + position)
    }

    /// The hierarchy of a constrained sensitive column and its levels over the values present; it ends in one value.
    pub fn sensitive_hierarchy(&self, column: &str) -> Result<(Hierarchy, Ladder), Problems> {
        let climbed = self.translation().climbed(column)?;
        Ok((climbed.hierarchy, climbed.ladder))
    }

    /// Settles the types that nobody declared by the cells of the rows that a solution keeps: the type that is handed out tells nothing of rows that
    /// were left out. Where t-closeness is promised, all values are told anyway, and their order must be that of the promise.
    pub fn settle_released_types(&mut self, solution: &Solution) -> Result<(), StudyError> {
        let kept = self.kept_rows_by_code(solution)?;
        let is_told = |name: &str| {
            let models = self.job.privacy.models.iter();
            models.into_iter().any(|model| model.reference().is_some_and(|(attribute, _)| attribute == name))
        };
        let told: Vec<bool> = self.counted.columns.iter().map(|column| is_told(&column.name)).collect();
        for ((column, rows), told) in self.counted.columns.iter_mut().zip(&kept).zip(told) {
            let declared = self.job.attribute(&column.name).and_then(|(_, attribute)| attribute.data_type);
            if declared.is_some() || told {
                continue;
            }
            let all = column.dictionary.cells();
            let cells: Vec<Option<&str>> =
                all.into_iter().zip(rows).filter(|(_, rows)| **rows > 0).map(|(cell, _)| cell).collect();
            let recorded = column.type_of(crate::hierarchies::type_of(&cells), &cells);
            column.recorded = Some(recorded);
        }
        Ok(())
    }

    /// The type of a column, by name: what was declared, or what all values turned out to be where that keeps their spelling.
    pub fn type_name(&self, column: &super::InputColumn) -> &'static str {
        let counted = match column.treatment {
            Treatment::QuasiIdentifier(position) => Some(position),
            _ => self.counted_position(&column.name),
        };
        let declared = column.attribute.and_then(|index| self.job.attributes[index].data_type);
        let treatments = column.attribute.map(|index| &self.job.attributes[index].treatments);
        match treatments.and_then(|treatments| treatments.aggregate) {
            Some(job::Aggregate::Mean) => return ValueType::Decimal.name(),
            Some(job::Aggregate::Interval) => return ValueType::String.name(),
            Some(job::Aggregate::Median) | None => {}
        }
        if column.treatment == Treatment::Pseudonym {
            return ValueType::String.name();
        }
        match counted {
            Some(position) => self.counted.columns[position].recorded_type().name(),
            None => declared.map_or("string", job::DataType::name),
        }
    }

    /// What empty cells are to a promise of different values, in words; `None` where its column has none, or it is about something else.
    pub fn empty_cells(&self, model: &job::Model) -> Option<&'static str> {
        self.translation().empty_cells(model).map(|(_, what, _)| what.name())
    }

    /// Whether a code of the subset column says that a row is to be released.
    pub fn says_in_table(&self, code: u32) -> bool {
        self.subset.in_table(code)
    }

    /// The subset column with the codes of the first pass.
    pub fn subset_column(&self) -> CodedColumn {
        self.subset.column.clone().unwrap_or_else(|| CodedColumn::new("", ValueType::Boolean))
    }

    /// How many rows that a solution keeps show each value, by counted column and code.
    pub fn kept_rows_by_code(&self, solution: &Solution) -> Result<Vec<Vec<u64>>, StudyError> {
        let columns = self.counted.columns.iter();
        let mut rows: Vec<Vec<u64>> = columns.map(|column| vec![0; column.dictionary.len()]).collect();
        self.each_released(solution, |tuple, kept| {
            for (rows, &code) in rows.iter_mut().zip(tuple.codes) {
                rows[code as usize] += kept;
            }
        })?;
        Ok(rows)
    }

    /// Calls `visit` with every counted tuple of the table, in order, and how many of its rows a solution keeps.
    pub fn each_released(
        &self,
        solution: &Solution,
        mut visit: impl FnMut(&CountedTuple<'_>, u64),
    ) -> Result<(), StudyError> {
        let quasi = self.counted.quasi_identifiers;
        let kept = self.kept_by_tuple(solution);
        let mut next = 0;
        Ok(self.counted.each_in_table(|tuple| {
            let rows = match (&kept, solution.fates.of(tuple.frequency, &tuple.codes[..quasi])) {
                (Some(kept), _) => kept[next],
                (None, Fate::Kept) => tuple.count,
                (None, Fate::Suppressed) => 0,
            };
            next += 1;
            visit(tuple, rows);
        })?)
    }

    /// By counted tuple that is in the table: rows of people who are kept. None where classes are kept or left out as a whole.
    fn kept_by_tuple(&self, solution: &Solution) -> Option<Vec<u64>> {
        let (fates, people, held) =
            (solution.fates.by_person()?, self.people.as_ref()?, self.counted.held()?);
        let mut kept = vec![0u64; held.tuples.len()];
        for (&person, &tuple) in people.person_of_row.iter().zip(&people.tuple_of_row) {
            kept[tuple as usize] += u64::from(fates.get(person as usize) == Some(&Fate::Kept));
        }
        Some(held.in_table().map(|number| kept[number as usize]).collect())
    }

    /// How many rows show each value of a sensitive column, or how many people where they are counted.
    pub(super) fn totals_of(&self, attribute: &str) -> Vec<u64> {
        let (position, _) = self.sensitive_column(attribute);
        let view = self.constrained.views.iter().position(|view| *view == SensitiveView::Single(position));
        match (&self.people, view) {
            (Some(counted), Some(view)) => counted.people.totals(view),
            _ => self.counted.rows_by_code(self.counted.quasi_identifiers + position).to_vec(),
        }
    }
}
fn warnings(job: &Job, columns: &ColumnPlan) -> Vec<String> {
    let mut warnings = Vec::new();
    match columns.undeclared().as_slice() {
        [] => {}
        [name] => warnings
            .push(format!("column {name} is not in the job file, so it is left out; losses do not count it")),
        names => warnings.push(format!(
            "columns {} are not in the job file, so they are left out; losses do not count them",
            names.join(", ")
        )),
    }
    if job.output.order == job::RowOrder::Input {
        warnings.push("rows keep the order of the input, which can give people away".to_owned());
    }
    if job.search.practical_monotonicity {
        warnings.push("monotonicity is assumed, not proven: the result may not be optimal".to_owned());
    }
    let promises_diversity = job.privacy.models.iter().any(|model| !model.attributes().is_empty());
    let has_sensitive = columns.columns.iter().any(|column| column.treatment == Treatment::Sensitive);
    if has_sensitive && !promises_diversity {
        warnings.push(
            "no model guards the sensitive columns: everybody in a class may share a value (see distinct-l-diversity, t-closeness)"
                .to_owned(),
        );
    }
    warnings
}

impl From<Problem> for StudyError {
    fn from(problem: Problem) -> StudyError {
        StudyError::Problems(problem.into())
    }
}
