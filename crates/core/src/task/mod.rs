//! What is to be solved: counted tuples, the levels each column may take, what must hold, and what is best.

mod case;
mod quasi_identifiers;
mod suppression_limit;

pub use case::Case;
pub use quasi_identifiers::{QuasiIdentifier, QuasiIdentifiers};
pub use suppression_limit::SuppressionLimit;

use crate::criteria::{ClassCriterion, Criteria, Suppression};
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, LatticeError};
use crate::quality::{Balance, Metric};
use crate::table::{People, PersonRows, TupleSource};
use std::sync::Arc;

/// A table to generalize, ready to be searched.
///
/// What follows from its parts is computed here and nowhere else: how many rows may be suppressed (never all), which
/// criteria are monotone then, the case of monotonicity, the lattice and the order of its nodes.
///
/// Tuples, columns and criteria are shared, not copied: a clone and a variant of a task cost a few counters.
#[derive(Debug, Clone)]
pub struct Task {
    tuples: Arc<dyn TupleSource>,
    columns: Arc<QuasiIdentifiers>,
    criteria: Criteria,
    metric: Metric,
    balance: Balance,
    suppression_limit: u64,
    case: Case,
    people: Option<CountedPeople>,
}

/// Whose rows the tuples are, where a person may have several.
#[derive(Debug, Clone)]
struct CountedPeople {
    people: Arc<People>,
    /// Class sizes alone: what the kernels for rows can refute. None where everybody has one row, so that counting rows is enough.
    relaxation: Option<Criteria>,
}

/// Why the parts of a task do not fit each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// Levels that make no lattice.
    #[error(transparent)]
    Lattice(#[from] LatticeError),
    /// A level above the ladder's highest.
    #[error("quasi-identifier {name}: level {level}, but its hierarchy ends at {highest}")]
    Level {
        /// Name of the quasi-identifier.
        name: String,
        /// The level asked for.
        level: u8,
        /// The highest there is.
        highest: u8,
    },
    /// A weight below 0, or none at all.
    #[error("quasi-identifier {name}: the weight must be a number of at least 0")]
    Weight {
        /// Name of the quasi-identifier.
        name: String,
    },
    /// Tuples of another width.
    #[error("the tuples have {found} columns, and there are {expected} quasi-identifiers")]
    Width {
        /// Quasi-identifiers of the task.
        expected: usize,
        /// Columns of the tuples.
        found: usize,
    },
    /// A tuple with a code that the ladder does not know.
    #[error("quasi-identifier {name}: a tuple has the code {code}, and its hierarchy has {values} values")]
    Code {
        /// Name of the quasi-identifier.
        name: String,
        /// The largest code.
        code: u32,
        /// Values of the ladder.
        values: usize,
    },
    /// A criterion about a sensitive column that was not counted.
    #[error("a criterion reads sensitive column {position}, and {found} were counted")]
    Sensitive {
        /// The position that is read.
        position: usize,
        /// Sensitive columns of the tuples.
        found: usize,
    },
    /// There is nothing to release.
    #[error("the table has no rows")]
    Empty,
    /// People are counted in memory only.
    #[error("people can be counted only where all tuples are in memory")]
    PeopleInPieces,
    /// The largest set of people in which all classes hold is not unique.
    #[error(
        "a criterion may hold for two sets of people and not for both together, so nobody knows whose rows are to be removed"
    )]
    NotUnique,
    /// People who are not in the table have no rows that others could have, too.
    #[error("a population is not counted where people are alike by all their rows")]
    PopulationOfSets,
}

impl Task {
    /// The task to generalize `tuples` so that all `criteria` hold, at most `limit` is suppressed, and `metric` is least.
    ///
    /// The codes of the tuples are positions in the ladders of the columns, in their order.
    pub fn new(
        tuples: Arc<dyn TupleSource>,
        columns: QuasiIdentifiers,
        criteria: Vec<Box<dyn ClassCriterion>>,
        metric: Metric,
        limit: SuppressionLimit,
    ) -> Result<Task, TaskError> {
        fit(&*tuples, &columns)?;
        Task::of_parts(tuples, Arc::new(columns), criteria, metric, limit, None)
    }

    /// The same where classes are counted in people: the limit is a share or number of people who lose a row, and the criteria
    /// read the sensitive columns of `people`, not those of `tuples`. Metrics count rows all the same.
    pub fn of_people(
        tuples: Arc<dyn TupleSource>,
        people: Arc<People>,
        columns: QuasiIdentifiers,
        criteria: Vec<Box<dyn ClassCriterion>>,
        metric: Metric,
        limit: SuppressionLimit,
    ) -> Result<Task, TaskError> {
        fit(&*tuples, &columns)?;
        if tuples.held().is_none() {
            return Err(TaskError::PeopleInPieces);
        }
        Task::of_parts(tuples, Arc::new(columns), criteria, metric, limit, Some(people))
    }

    /// The same tuples, columns and metric under other criteria and another limit.
    pub fn under(
        &self,
        criteria: Vec<Box<dyn ClassCriterion>>,
        limit: SuppressionLimit,
    ) -> Result<Task, TaskError> {
        let (tuples, columns) = (Arc::clone(&self.tuples), Arc::clone(&self.columns));
        let people = self.people.as_ref().map(|counted| Arc::clone(&counted.people));
        let task = Task::of_parts(tuples, columns, criteria, self.metric, limit, people)?;
        Ok(task.balanced(self.balance))
    }

    /// The same columns, criteria and metric over other tuples, counted in the people of these tuples where the task counts people. The
    /// criteria stay those of this table: a distribution that they compare with is the whole table's. `None` where the tuples do not fit.
    pub(crate) fn over(
        &self,
        tuples: Arc<dyn TupleSource>,
        people: Option<Arc<People>>,
        limit: SuppressionLimit,
    ) -> Option<Task> {
        fit(&*tuples, &self.columns).ok()?;
        let all = people.as_ref().map_or_else(|| tuples.row_count(), |people| people.len() as u64);
        let suppression_limit = limit.of(all);
        let suppression = Suppression::up_to(suppression_limit);
        let relaxation = self.relaxation().cloned();
        let criteria = match relaxation {
            // Criteria over people hold however much may be suppressed.
            Some(_) => self.criteria.clone(),
            None => self.criteria.suppressing(suppression),
        };
        let case = Case::of(&criteria, self.metric, suppression);
        let people = people.map(|people| CountedPeople { people, relaxation });
        Some(Task { tuples, suppression_limit, criteria, case, people, ..self.clone() })
    }

    /// The same tuples, criteria and metric over other levels of the same columns.
    pub(crate) fn over_columns(&self, columns: QuasiIdentifiers) -> Task {
        Task { columns: Arc::new(columns), ..self.clone() }
    }

    fn of_parts(
        tuples: Arc<dyn TupleSource>,
        columns: Arc<QuasiIdentifiers>,
        criteria: Vec<Box<dyn ClassCriterion>>,
        metric: Metric,
        limit: SuppressionLimit,
        people: Option<Arc<People>>,
    ) -> Result<Task, TaskError> {
        let suppression_limit =
            limit.of(people.as_ref().map_or_else(|| tuples.row_count(), |people| people.len() as u64));
        let suppression = Suppression::up_to(suppression_limit);
        // Where everybody has one row, people are counted by counting rows, and more is known about criteria.
        let rows_suffice = people.as_ref().is_none_or(|people| rows_are_people(&*tuples, people));
        let criteria = match rows_suffice {
            true => Criteria::new(criteria, suppression),
            false => Criteria::over_people(criteria),
        };
        if let Some(people) = &people {
            can_be_kept(people.person_rows(), &criteria)?;
        }
        are_counted(&*tuples, people.as_deref(), &criteria)?;
        let case = Case::of(&criteria, metric, suppression);
        let relaxation = (!rows_suffice).then(|| criteria.class_size_alone());
        let people = people.map(|people| CountedPeople { people, relaxation });
        let balance = Balance::EVEN;
        Ok(Task { tuples, columns, criteria, metric, balance, suppression_limit, case, people })
    }

    /// The same where generalized and suppressed cells count differently.
    pub fn balanced(self, balance: Balance) -> Task {
        Task { balance, ..self }
    }

    /// How much generalized and suppressed cells count.
    pub fn balance(&self) -> Balance {
        self.balance
    }

    /// Takes the criteria for monotone, proven or not: faster, usually still optimal, no guarantee.
    pub fn assuming_monotonicity(self) -> Task {
        let criteria = self.criteria.assuming_monotonicity();
        let case = Case { criterion: criteria.monotonicity(), ..self.case };
        Task { criteria, case, ..self }
    }

    /// The same task without [that assumption](Self::assuming_monotonicity).
    pub fn without_assumptions(&self) -> Task {
        let criteria = self.criteria.without_assumptions();
        let case = Case { criterion: criteria.monotonicity(), ..self.case };
        Task { criteria, case, ..self.clone() }
    }

    /// The counted tuples.
    pub fn tuples(&self) -> &dyn TupleSource {
        &*self.tuples
    }

    /// The columns to generalize, with their [lattice](QuasiIdentifiers::lattice).
    pub fn columns(&self) -> &QuasiIdentifiers {
        &self.columns
    }

    /// The nodes.
    pub fn lattice(&self) -> &Lattice {
        self.columns.lattice()
    }

    /// One ladder per column.
    pub fn ladders(&self) -> &[Ladder] {
        self.columns.ladders()
    }

    /// What every released class must keep.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// What to minimise.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Whose rows the tuples are, where people are counted.
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref().map(|counted| &*counted.people)
    }

    /// The class sizes that the criteria imply, where people are counted one by one.
    pub(crate) fn relaxation(&self) -> Option<&Criteria> {
        self.people.as_ref().and_then(|counted| counted.relaxation.as_ref())
    }

    /// Most rows that may be suppressed, or most people who may lose one where people are counted; fewer than there are.
    pub fn suppression_limit(&self) -> u64 {
        self.suppression_limit
    }

    /// The case of monotonicity that the criteria and the metric make.
    pub fn case(&self) -> Case {
        self.case
    }
}

/// Tuples in memory are looked at; those read back in pieces come from a source that counted them.
fn fit(tuples: &dyn TupleSource, columns: &QuasiIdentifiers) -> Result<(), TaskError> {
    if tuples.row_count() == 0 {
        return Err(TaskError::Empty);
    }
    let Some(table) = tuples.held() else { return Ok(()) };
    let (expected, found) = (columns.ladders().len(), table.column_count());
    if found != expected {
        return Err(TaskError::Width { expected, found });
    }
    for (column, (name, ladder)) in columns.names().iter().zip(columns.ladders()).enumerate() {
        let (values, largest) = (ladder.values(), table.column(column).largest());
        if let Some(code) = largest.filter(|&code| code as usize >= values) {
            return Err(TaskError::Code { name: name.clone(), code, values });
        }
    }
    Ok(())
}

fn are_counted(
    tuples: &dyn TupleSource,
    people: Option<&People>,
    criteria: &Criteria,
) -> Result<(), TaskError> {
    let Some(table) = tuples.held() else { return Ok(()) };
    let found = people.map_or_else(|| table.sensitive().len(), People::sensitive_columns);
    let (read, _) = criteria.needs();
    match read.into_iter().find(|&position| position >= found) {
        Some(position) => Err(TaskError::Sensitive { position, found }),
        None => Ok(()),
    }
}

/// Whether everybody has one row, and the sensitive columns are those of the table.
fn rows_are_people(tuples: &dyn TupleSource, people: &People) -> bool {
    let Some(table) = tuples.held() else { return false };
    people.have_one_row_each()
        && table.population().is_some() == people.knows_population()
        && people.cardinalities().eq(table.sensitive().iter().map(|column| column.cardinality))
}

/// Whether it is defined whose rows are left out.
fn can_be_kept(person_rows: PersonRows, criteria: &Criteria) -> Result<(), TaskError> {
    match person_rows {
        PersonRows::Apart => Ok(()),
        PersonRows::Together if !criteria.more_people_never_hurt() => Err(TaskError::NotUnique),
        PersonRows::Set if criteria.needs().1 => Err(TaskError::PopulationOfSets),
        PersonRows::Together | PersonRows::Set => Ok(()),
    }
}

#[cfg(test)]
mod tests;
