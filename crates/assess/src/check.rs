//! Which promises does a table keep as it is?

use crate::repeated::repeated;
use paravent_core::criteria::Achieved;
use paravent_core::lattice::Node;
use paravent_core::search::SearchError;
use paravent_evidence::columns::Repeated;
use paravent_job::{InputSource, Job, Problems, Role, Setting};
use paravent_prepare::hierarchies::check_early;
use paravent_prepare::study::{Exactness, PromiseFacts, Study, StudyError, achieved, refuse, required};
use paravent_prepare::threads::in_pool;
use paravent_tables::read::{Input, Table};
use paravent_tables::watch::Watch;
use serde::Serialize;
use std::path::Path;

/// What was measured. Nothing was changed.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// Version of the program.
    pub paravent: &'static str,
    /// Rows of the table.
    pub rows: u64,
    /// People of the table, where the job says whose row it is. Class sizes and what breaks a promise are then counted in people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// Classes of rows that agree in all quasi-identifiers.
    pub classes: u64,
    /// Rows of the smallest class.
    pub smallest_class: u64,
    /// Mean rows of a class.
    pub average_class: f64,
    /// Rows that are alone in their class.
    pub unique_rows: u64,
    /// The promises of the job.
    pub privacy: Vec<CheckedPromise>,
    /// Whether all of them hold.
    pub holds: bool,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One promise.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedPromise {
    /// The promise, what it asks for and what the table achieves.
    #[serde(flatten)]
    pub facts: PromiseFacts,
    /// Rows in classes that break it.
    pub violating_rows: u64,
    /// Classes that break it.
    pub violating_classes: u64,
}

/// Measures a table against the promises of a job. Neither generalization nor suppression is assumed.
pub fn check(
    data: &Path,
    (job, settings): (&Path, &[Setting]),
    show_values: bool,
    watch: &dyn Watch,
) -> Result<Checked, StudyError> {
    let (mut job, _) = Job::load_with_bytes(job, settings)?;
    job.input.source = InputSource::given(data);
    in_pool(job.search.threads as usize, StudyError::Threads, || {
        measured(&Study::prepare(job, None, show_values, watch)?)
    })
}

/// What can be said of a job without its table.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedJob {
    /// Version of the program.
    pub paravent: &'static str,
    /// Columns that it declares.
    pub attributes: usize,
    /// Hierarchies that it names. Nothing is wrong with them as far as that can be told without values: files can be read, and points,
    /// widths, units and groups are nested, also inside a chain.
    pub hierarchies: usize,
    /// Promises.
    pub models: Vec<&'static str>,
}

/// Checks a job and the hierarchies it names; the table is not looked at and need not be there.
pub fn check_job(job: &Path, settings: &[Setting]) -> Result<CheckedJob, StudyError> {
    let (job, _) = Job::load_with_bytes(job, settings)?;
    let mut problems = Problems::default();
    problems.extend(refuse(&job).err().into_iter().flatten());
    let mut hierarchies = 0;
    for (index, attribute) in job.attributes.iter().enumerate() {
        hierarchies += usize::from(attribute.hierarchy.is_some());
        problems.extend(check_early(&job, index).err().into_iter().flatten());
    }
    let models = job.privacy.models.iter().map(|model| model.name().name()).collect();
    let checked = CheckedJob {
        paravent: env!("CARGO_PKG_VERSION"),
        attributes: job.attributes.len(),
        hierarchies,
        models,
    };
    Ok(problems.into_result(checked)?)
}

/// The same for a table in memory.
pub fn check_table(
    job: &Job,
    table: Table,
    show_values: bool,
    watch: &dyn Watch,
) -> Result<Checked, StudyError> {
    in_pool(job.search.threads as usize, StudyError::Threads, || {
        measured(&Study::prepare_input(job.clone(), Input::from_table(table), None, show_values, watch)?)
    })
}

fn measured(study: &Study) -> Result<Checked, StudyError> {
    let mut checked = measure(study)?;
    checked.warnings.extend(repeated(&study.input, Some(&study.job))?.iter().map(Repeated::warning));
    Ok(checked)
}

fn measure(study: &Study) -> Result<Checked, StudyError> {
    let checker = study.checker();
    let node = Node::new(vec![0; study.job.with_role(Role::QuasiIdentifier).count()]);
    let (mut classes, mut members_in_all, mut smallest, mut unique) = (0u64, 0u64, u64::MAX, 0u64);
    let members = study.task.criteria().members();
    let mut figures = vec![(Achieved::default(), 0u64, 0u64); members.len()];
    checker
        .visit_classes(&node, |class| {
            if class.rows == 0 {
                // Known only from the population: no row to release, but perhaps a promise broken all the same.
                for (member, (achieved, _, count)) in members.iter().zip(&mut figures) {
                    member.gauge_absent(achieved);
                    *count += u64::from(member.judges_absent_classes() && !member.holds(class));
                }
                return;
            }
            classes += 1;
            members_in_all += class.rows;
            smallest = smallest.min(class.rows);
            unique += u64::from(class.rows == 1);
            for (member, (achieved, rows, count)) in members.iter().zip(&mut figures) {
                member.gauge(class, achieved);
                if !member.holds(class) {
                    *rows += class.rows;
                    *count += 1;
                }
            }
        })
        .map_err(|error| StudyError::from(SearchError::from(error)))?;
    let rows = study.table.row_count();
    let promises = study.job.privacy.models.iter().zip(figures).zip(study.loose());
    let privacy: Vec<CheckedPromise> = promises
        .map(|((model, (figures, violating_rows, violating_classes)), loose)| CheckedPromise {
            facts: PromiseFacts {
                model: model.name().name(),
                required: required(model, Exactness::Number),
                achieved: achieved(model, &figures),
                holds: violating_classes == 0,
                loose,
            },
            violating_rows,
            violating_classes,
        })
        .collect();
    let loose: Vec<String> = privacy.iter().filter_map(|promise| promise.facts.looseness()).collect();
    Ok(Checked {
        paravent: env!("CARGO_PKG_VERSION"),
        rows,
        classes,
        smallest_class: smallest,
        people: study.people.as_ref().map(|counted| counted.people.len() as u64),
        average_class: members_in_all as f64 / classes.max(1) as f64,
        unique_rows: unique,
        holds: privacy.iter().all(|promise| promise.facts.holds),
        privacy,
        warnings: study.warnings.iter().cloned().chain(loose).collect(),
    })
}
