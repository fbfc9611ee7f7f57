//! A job's question to the engine: its [`Task`].

use super::models::Translation;
use super::people::TablePeople;
use super::{Study, StudyError};
use paravent_core::criteria::ClassCriterion;
use paravent_core::exact::Fraction;
use paravent_core::quality::Balance;
use paravent_core::task::{QuasiIdentifiers, SuppressionLimit, Task};
use paravent_job::{self as job, DecimalText, Job, Problems};
use paravent_tables::encode::{Counted, Frequencies};
use std::sync::Arc;

/// Memory for snapshots where the job does not say.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The task of a job over counted tuples.
pub(super) fn task(
    translation: &Translation<'_>,
    table: &Arc<Frequencies>,
    people: Option<&TablePeople>,
    columns: QuasiIdentifiers,
) -> Result<Task, StudyError> {
    let job = translation.job;
    let limit = Fraction::parse(job.privacy.suppression_limit.as_str())
        .map_err(|error| StudyError::from(job.problem("privacy.suppression_limit", error.to_string())))?;
    match people {
        Some(counted) => too_large_classes(job, counted.people.len() as u64, "people")?,
        None => too_large_classes(job, table.row_count(), "rows")?,
    }
    let criteria = criteria(translation, &job.privacy.models)?;
    let (tuples, limit) = (Arc::clone(table), SuppressionLimit::Share(limit));
    let metric = job.search.metric;
    let task = match people {
        Some(counted) => {
            Task::of_people(tuples, Arc::clone(&counted.people), columns, criteria, metric, limit)
        }
        None => Task::new(tuples, columns, criteria, metric, limit),
    };
    let task = task.map_err(|error| StudyError::from(job.problem("attributes", error.to_string())))?;
    let factor = job.search.gs_factor.as_ref().and_then(|factor| factor.as_str().parse().ok());
    Ok(match factor.and_then(Balance::of_gs_factor) {
        Some(balance) => task.balanced(balance),
        None => task,
    })
}

impl Study {
    /// Asks for something else of the same table: other promises, another limit. All else stays.
    pub fn ask(&mut self, models: &[job::Model], limit: &DecimalText) -> Result<(), StudyError> {
        let share = Fraction::parse(limit.as_str()).map_err(|error| {
            StudyError::from(self.job.problem("privacy.suppression_limit", error.to_string()))
        })?;
        let criteria = criteria(&self.translation(), models)?;
        let task = self
            .task
            .under(criteria, SuppressionLimit::Share(share))
            .map_err(|error| StudyError::from(self.job.problem("privacy.models", error.to_string())))?;
        let assumed = self.job.search.practical_monotonicity;
        self.task = if assumed { task.assuming_monotonicity() } else { task };
        self.job.privacy.models = models.to_vec();
        self.job.privacy.suppression_limit = limit.clone();
        Ok(())
    }
}

/// What every class must keep: a criterion per model.
pub(super) fn criteria(
    translation: &Translation<'_>,
    models: &[job::Model],
) -> Result<Vec<Box<dyn ClassCriterion>>, Problems> {
    let mut problems = Problems::default();
    let mut members = Vec::new();
    for (index, model) in models.iter().enumerate() {
        match translation.criterion(model, &format!("privacy.models[{index}]")) {
            Ok(member) => members.push(member),
            Err(more) => problems.extend(more),
        }
    }
    problems.into_result(members)
}

/// A class size beyond the table is a typing error, not a hard problem.
fn too_large_classes(job: &Job, all: u64, of: &str) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for (index, model) in job.privacy.models.iter().enumerate() {
        if let job::Model::KAnonymity(job::models::KAnonymity { k }) = model
            && u64::from(*k) > all
        {
            let key = format!("privacy.models[{index}].k");
            let one = if of == "people" { "person" } else { "row" };
            let (message, advice) = match all {
                // No smaller k makes sense.
                0 | 1 => (
                    format!(
                        "k = {k}, but the table has a single {one} to release, with nobody to hide among"
                    ),
                    "Take a table about more people".to_owned(),
                ),
                _ => (
                    format!("k = {k}, but the table has {all} {of} to release"),
                    format!("Write k = {all} or less"),
                ),
            };
            problems.push(job.problem(&key, message).advise(advice));
        }
    }
    problems.into_result(())
}

/// Memory for snapshots of classes, in bytes.
pub(super) fn snapshot_bytes(job: &Job, counted: &Counted) -> usize {
    let memory = job.search.memory.map_or(DEFAULT_MEMORY, |memory| memory.bytes());
    match counted.spilled() {
        None => usize::try_from(memory / 2).unwrap_or(usize::MAX),
        Some(tuples) => tuples.budget().snapshots(),
    }
}
