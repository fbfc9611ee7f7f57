//! Rows of people, anonymous: column groups that are mixed, where the recipient has declared an analysis, or the best full-domain generalization
//! that keeps the demand, from the levels on that the policy shows.
//!
//! A person has one row in an answer, so that classes count people. Where the rows are anonymous as the policy shows them, nothing is changed.
//! What has no place in a hierarchy, or is no value of its type, counts as missing: no error depends on a cell. The finished rows are counted
//! again, by their labels alone.

mod slices;

use crate::adapt::{Adapted, RowDemand};
use crate::coarse::Coarse;
use crate::refusal::{AskError, Refusal};
use crate::state::people::Exact;
use crate::view::{self, Source};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use paravent_algebra::error::AlgebraError;
use paravent_core::release::Fate;
use paravent_core::values::ValueType;
use paravent_job::{Attribute, Job, Model, Role, Search};
use paravent_prepare::study::{Counting, Question, StudyError, value_type};
use paravent_tables::watch::Unwatched;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Cells of a row, in the order of the shown columns.
type Cells = Vec<Option<String>>;

/// Rows that may leave.
pub struct Released {
    /// In the order of their cells: the order of the table does not leave.
    pub rows: Vec<Vec<Value>>,
    /// By quasi-identifier: the level of its labels.
    pub levels: Vec<(String, u8)>,
    /// People whose row was left out.
    pub suppressed: u64,
    /// Loss by the demanded metric; none where there is no answer.
    pub loss: Option<f64>,
    /// The rows were anonymous as the policy shows them.
    pub is_unchanged: bool,
    /// The column groups, where rows were sliced.
    pub sliced: Option<Slices>,
}

/// Column groups that were mixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices {
    /// The groups.
    pub groups: Vec<Vec<String>>,
    /// Declared analyses whose columns stayed together.
    pub kept: Vec<Vec<String>>,
    /// Declared analyses whose columns could not.
    pub lost: Vec<Vec<String>>,
}

/// Refuses a second view of the same people, whichever of their tables (`kin`) it is of: two answers about overlapping rows can be put together, whatever each keeps alone. Decided from the
/// register.
///
/// # Errors
/// A refusal.
pub fn once(register: &Exact<'_>, group: &str, kin: &BTreeSet<String>, name: &str) -> Result<(), Refusal> {
    // Whoever was stopped behind the line of the register gets the same rows.
    let other = |table: &String| register.rows(group, table).is_some_and(|known| known != name);
    if kin.iter().any(other) {
        return Err(Refusal::new(
            "the group has rows of the table or of another one about the same people already, and two views of the same people can be put together",
            "The rows that were given are given again for the same question",
        ));
    }
    if kin.iter().any(|table| register.answers(group, table) > 0) {
        return Err(Refusal::new(
            "the group has exact figures about the table or another one about the same people, and rows beside them could tell of single people",
            "Another group of recipients can have the rows",
        ));
    }
    Ok(())
}

/// The best anonymous rows; none at all where no generalization keeps the demand.
///
/// # Errors
/// If a hierarchy is wrong, or the finished rows do not keep the demand: a bug, and nothing leaves.
pub fn release(
    adapted: &Adapted<'_>,
    demand: &RowDemand,
    batches: &[RecordBatch],
) -> Result<Released, AskError> {
    let columns: Vec<(&String, &u8)> = adapted.groups.iter().collect();
    let job = job_for(adapted, demand);
    let is_quasi: Vec<bool> = job.attributes.iter().map(|one| one.role == Role::QuasiIdentifier).collect();
    let mut rows = people(adapted, batches)?;
    for (place, (column, level)) in columns.iter().enumerate() {
        placed(adapted, column, **level, is_quasi[place], place, &mut rows)?;
    }
    let shown = match demand.together.is_empty() {
        true => Vec::new(),
        false => as_shown(adapted, &columns, &is_quasi, &rows)?,
    };
    let mut best = match is_quasi.contains(&true) {
        true => searched(job, demand, &rows)?,
        false => {
            let enough = rows.len() >= demand.k as usize && demand.models.len() == 1;
            enough.then(|| Found { rows, levels: Vec::new(), suppressed: 0, loss: 0.0 })
        }
    };
    if let Some(found) = &mut best {
        recount(&found.rows, &is_quasi, demand.k)?;
        found.rows.sort_unstable();
    }
    let lowest = |(column, level): &(String, u8)| adapted.groups[column] == *level;
    let is_unchanged =
        best.as_ref().is_some_and(|found| found.suppressed == 0 && found.levels.iter().all(lowest));
    if !demand.together.is_empty() && !is_unchanged {
        let names: Vec<String> = columns.iter().map(|(column, _)| (*column).clone()).collect();
        if let Some(found) = slices::sliced(&names, &is_quasi, demand, &shown)? {
            return Ok(in_slices(found));
        }
    }
    let allowed = best.filter(|_| demand.generalizes || is_unchanged);
    Ok(match allowed {
        Some(found) => Released {
            is_unchanged,
            rows: values(found.rows),
            levels: found.levels,
            suppressed: found.suppressed,
            loss: Some(found.loss),
            sliced: None,
        },
        None => Released {
            rows: Vec::new(),
            levels: Vec::new(),
            suppressed: 0,
            loss: None,
            is_unchanged: false,
            sliced: None,
        },
    })
}

fn values(rows: Vec<Cells>) -> Vec<Vec<Value>> {
    rows.into_iter().map(|row| row.into_iter().map(|cell| json!(cell)).collect()).collect()
}

fn in_slices(mut found: slices::Found) -> Released {
    found.rows.sort_unstable();
    Released {
        rows: values(found.rows),
        levels: Vec::new(),
        suppressed: 0,
        loss: Some(0.0),
        is_unchanged: false,
        sliced: Some(Slices { groups: found.groups, kept: found.kept, lost: found.lost }),
    }
}

/// Rows on the labels that the policy shows, and no coarser.
fn as_shown(
    adapted: &Adapted<'_>,
    columns: &[(&String, &u8)],
    is_quasi: &[bool],
    rows: &[Cells],
) -> Result<Vec<Cells>, AskError> {
    let mut rows = rows.to_vec();
    for (place, (column, level)) in columns.iter().enumerate() {
        // Other columns stand on their level already.
        if **level == 0 || !is_quasi[place] {
            continue;
        }
        let cells: Vec<Option<String>> = rows.iter().map(|row| row[place].clone()).collect();
        let labels = view::labels(adapted.first().job, column, **level, &cells)?;
        for row in &mut rows {
            row[place] = row[place].take().and_then(|cell| labels.get(&cell).cloned().flatten());
        }
    }
    Ok(rows)
}

/// The search as a job: the shown columns, from their levels on, and the demand.
fn job_for(adapted: &Adapted<'_>, demand: &RowDemand) -> Job {
    let mut job = adapted.first().job.clone();
    let attribute = |(column, level): (&String, &u8)| {
        let known = adapted.first().job.attribute(column).map(|(_, attribute)| attribute.clone());
        let mut attribute = known.unwrap_or_else(|| Attribute::new(column.clone(), Role::QuasiIdentifier));
        if attribute.role == Role::QuasiIdentifier {
            attribute.min_level = Some(attribute.min_level.unwrap_or(0).max(*level));
            // What a job says for releases must not open a way below the policy, nor close the way above it.
            attribute.max_level = None;
        }
        attribute
    };
    job.attributes = adapted.groups.iter().map(attribute).collect();
    job.privacy.models.clone_from(&demand.models);
    job.privacy.suppression_limit = demand.suppression_limit.clone();
    job.privacy.person = Vec::new();
    job.privacy.most_known = None;
    job.search =
        Search { metric: demand.metric.unwrap_or(job.search.metric), threads: 1, ..Search::default() };
    job
}

/// One row of each person that the conditions leave: the first by its cells.
fn people(adapted: &Adapted<'_>, batches: &[RecordBatch]) -> Result<Vec<Cells>, AskError> {
    let mut first: BTreeMap<Cells, Cells> = BTreeMap::new();
    for batch in batches {
        let column = |source: Source| -> Result<&ArrayRef, AskError> {
            batch.column_by_name(&source.name()).ok_or_else(|| AlgebraError::Internal.into())
        };
        let all =
            |sources: Vec<Source>| sources.into_iter().map(column).collect::<Result<Vec<_>, AskError>>();
        let whose = all(adapted.first().table.whose.person().into_iter().map(Source::Raw).collect())?;
        let shown = adapted.groups.iter().map(|(of, level)| Source::Show(of.clone(), *level));
        let shown = all(shown.collect())?;
        let conditions =
            adapted.conditions.iter().map(|(of, level)| Source::Filter(of.clone(), Coarse::Level(*level)));
        let conditions = all(conditions.collect())?;
        let wanted: Vec<&BTreeSet<String>> =
            adapted.conditions.keys().map(|of| &adapted.question.conditions[of]).collect();
        for row in 0..batch.num_rows() {
            let text = |column: &&ArrayRef| {
                let texts = column.as_string_opt::<i32>()?;
                texts.is_valid(row).then(|| texts.value(row).to_owned())
            };
            let holds = |(column, wanted): (&&ArrayRef, &&BTreeSet<String>)| {
                text(column).is_some_and(|label| wanted.contains(&label))
            };
            if !conditions.iter().zip(&wanted).all(holds) {
                continue;
            }
            let (person, cells): (Cells, Cells) =
                (whose.iter().map(text).collect(), shown.iter().map(text).collect());
            match first.get_mut(&person) {
                Some(known) if *known <= cells => {}
                Some(known) => *known = cells,
                None => drop(first.insert(person, cells)),
            }
        }
    }
    Ok(first.into_values().collect())
}

/// Makes cells missing that have no place; puts other columns than quasi-identifiers on the level that the policy shows.
fn placed(
    adapted: &Adapted<'_>,
    column: &str,
    level: u8,
    is_quasi: bool,
    place: usize,
    rows: &mut [Cells],
) -> Result<(), AskError> {
    let Some((_, attribute)) = adapted.first().job.attribute(column) else {
        return Err(AlgebraError::Internal.into());
    };
    let typed = attribute.data_type.map_or(ValueType::String, value_type);
    for row in rows.iter_mut() {
        row[place] = row[place]
            .take()
            .filter(|cell| typed.accepts(cell))
            .map(|cell| typed.canonical(&cell).into_owned());
    }
    if level == 0 && (attribute.hierarchy.is_none() || !is_quasi) {
        return Ok(());
    }
    let cells: Vec<Option<String>> = rows.iter().map(|row| row[place].clone()).collect();
    let labels = view::labels(adapted.first().job, column, level.max(1), &cells)?;
    for row in rows.iter_mut() {
        let cell = row[place].take();
        let label = cell.as_ref().and_then(|cell| labels.get(cell).cloned().flatten());
        row[place] = if is_quasi { cell.filter(|_| label.is_some()) } else { label };
    }
    Ok(())
}

/// Rows on labels that keep the demand.
struct Found {
    rows: Vec<Cells>,
    levels: Vec<(String, u8)>,
    suppressed: u64,
    loss: f64,
}

fn searched(job: Job, demand: &RowDemand, rows: &[Cells]) -> Result<Option<Found>, AskError> {
    if rows.len() < demand.k as usize {
        return Ok(None);
    }
    let failed = |error: StudyError| match error {
        StudyError::Problems(problems) => AskError::Problems(problems),
        // What else went wrong may depend on rows: it has one wording.
        _ => AlgebraError::Failed("the rows could not be made anonymous".to_owned()).into(),
    };
    let places: HashMap<String, usize> =
        job.attributes.iter().zip(0..).map(|(attribute, place)| (attribute.name.clone(), place)).collect();
    let quasi: Vec<String> =
        job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.clone()).collect();
    let mut counting = Counting::new(&job).map_err(failed)?;
    let wanted: Vec<usize> = counting.columns().map(|name| places[name]).collect();
    let mut tuples: BTreeMap<Vec<Option<&str>>, u64> = BTreeMap::new();
    for row in rows {
        *tuples.entry(wanted.iter().map(|place| row[*place].as_deref()).collect()).or_insert(0) += 1;
    }
    for (tuple, count) in &tuples {
        counting.add(tuple, *count).map_err(failed)?;
    }
    let question = Question::new(job, counting, &BTreeMap::new(), &Unwatched).map_err(failed)?;
    let found = question.search(&Unwatched).map_err(failed)?;
    let Some(solution) = found.solution.filter(|solution| solution.holds) else { return Ok(None) };
    let mut suppressed: BTreeSet<Vec<u32>> = BTreeSet::new();
    let looked = question.counted.each_in_table(|tuple| {
        let codes = &tuple.codes[..quasi.len()];
        if solution.fates.of(tuple.frequency, codes) == Fate::Suppressed {
            suppressed.insert(codes.to_vec());
        }
    });
    looked.map_err(|error| failed(error.into()))?;
    let mut shown = Vec::new();
    for row in rows {
        let code = |(number, name): (usize, &String)| question.code(number, row[places[name]].as_deref());
        let codes: Option<Vec<u32>> = quasi.iter().enumerate().map(code).collect();
        let codes = codes.ok_or(AlgebraError::Internal)?;
        if suppressed.contains(&codes) {
            continue;
        }
        let mut cells = row.clone();
        for (number, name) in quasi.iter().enumerate() {
            let rung = question.task.ladders()[number].rung(solution.node.levels()[number]);
            cells[places[name]] = rung.labels[rung.group_of[codes[number] as usize] as usize].clone();
        }
        shown.push(cells);
    }
    Ok(Some(Found {
        suppressed: (rows.len() - shown.len()) as u64,
        rows: shown,
        levels: quasi.into_iter().zip(solution.node.levels().iter().copied()).collect(),
        loss: found.report.best.as_ref().map_or(0.0, |best| best.loss),
    }))
}

/// Counts the finished rows by their labels, with nothing of the search.
fn recount(rows: &[Cells], is_quasi: &[bool], k: u32) -> Result<(), AskError> {
    let mut classes: BTreeMap<Vec<&Option<String>>, u32> = BTreeMap::new();
    for row in rows {
        let labels = row.iter().zip(is_quasi).filter(|(_, quasi)| **quasi).map(|(cell, _)| cell);
        *classes.entry(labels.collect()).or_insert(0) += 1;
    }
    match classes.values().all(|people| *people >= k) {
        true => Ok(()),
        false => Err(AskError::Audit("rows with fewer people than demanded")),
    }
}

/// What the models are called, for the annotation.
pub fn names(models: &[Model]) -> Vec<&'static str> {
    models.iter().map(|model| model.name().name()).collect()
}
