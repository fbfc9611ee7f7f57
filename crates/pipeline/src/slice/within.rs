//! The equivalence classes of a generalization as buckets.

use super::{CodedTable, SliceError};
use paravent_job::{
    Attribute, DataType, DecimalText, Input, Job, Metric, Model, Output, PersonRows, Privacy, Role, Search,
    Source, Version,
};
use paravent_prepare::study::{Counting, Question};
use paravent_tables::watch::Unwatched;
use std::collections::BTreeMap;

/// For every row the number of its class, in the order of labels. No row is left out; the smallest sum of levels is best.
pub(super) fn classes(
    table: &CodedTable,
    job: Option<&Job>,
    k: u32,
    quasi: &[usize],
) -> Result<Vec<u32>, SliceError> {
    let question = Question::new(
        job_for(table, job, k, quasi),
        counting(table, job, k, quasi)?,
        &BTreeMap::new(),
        &Unwatched,
    )?;
    let found = question.search(&Unwatched)?;
    let Some(solution) = found.solution else {
        let quasi: Vec<&str> = quasi.iter().map(|&place| table.columns[place].name.as_str()).collect();
        return Err(SliceError::NoClasses { quasi: quasi.join(", "), k });
    };
    // The label of every code of every quasi-identifier.
    let label = |position: usize, cell: Option<&str>| {
        let rung = question.task.ladders()[position].rung(solution.node.levels()[position]);
        let code = question.code(position, cell)?;
        rung.labels[rung.group_of[code as usize] as usize].clone()
    };
    let labels: Vec<Vec<Option<String>>> = quasi
        .iter()
        .enumerate()
        .map(|(position, &place)| {
            table.columns[place].cells.iter().map(|cell| label(position, cell.as_deref())).collect()
        })
        .collect();
    let tuple = |row: usize| -> Vec<&Option<String>> {
        quasi
            .iter()
            .zip(&labels)
            .map(|(&place, labels)| &labels[table.columns[place].codes[row] as usize])
            .collect()
    };
    let mut numbers: BTreeMap<Vec<&Option<String>>, u32> =
        (0..table.rows).map(|row| (tuple(row), 0)).collect();
    numbers.values_mut().zip(0..).for_each(|(number, place)| *number = place);
    Ok((0..table.rows).map(|row| numbers[&tuple(row)]).collect())
}

fn counting(table: &CodedTable, job: Option<&Job>, k: u32, quasi: &[usize]) -> Result<Counting, SliceError> {
    let mut counting = Counting::new(&job_for(table, job, k, quasi))?;
    let mut tuples: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in 0..table.rows {
        *tuples.entry(quasi.iter().map(|&place| table.columns[place].codes[row]).collect()).or_default() += 1;
    }
    for (codes, rows) in tuples {
        let cells: Vec<Option<&str>> = quasi
            .iter()
            .zip(&codes)
            .map(|(&place, &code)| table.columns[place].cells[code as usize].as_deref())
            .collect();
        counting.add(&cells, rows)?;
    }
    Ok(counting)
}

/// The question as a job: the job's attributes, and k-anonymity without suppression.
fn job_for(table: &CodedTable, job: Option<&Job>, k: u32, quasi: &[usize]) -> Job {
    let attribute = |&place: &usize| {
        let column = &table.columns[place];
        let declared =
            job.and_then(|job| job.attribute(&column.name)).map(|(_, attribute)| attribute.clone());
        let mut attribute = declared.unwrap_or_else(|| Attribute::new(&column.name, Role::QuasiIdentifier));
        attribute.role = Role::QuasiIdentifier;
        let whole = |cell: &Option<String>| {
            cell.as_ref()
                .is_none_or(|cell| cell.parse::<i64>().is_ok_and(|number| number.to_string() == *cell))
        };
        if attribute.data_type.is_none() && column.cells.iter().all(whole) {
            attribute.data_type = Some(DataType::Integer);
        }
        attribute
    };
    Job {
        version: Version::V1,
        about: paravent_job::About::default(),
        input: job.map_or_else(|| Input::file("-"), |job| job.input.clone()),
        attributes: quasi.iter().map(attribute).collect(),
        privacy: Privacy {
            suppression_limit: DecimalText::from(0),
            models: vec![Model::KAnonymity(paravent_job::models::KAnonymity { k })],
            person: Vec::new(),
            person_rows: PersonRows::default(),
            most_known: None,
            budget: None,
        },
        search: Search { metric: Metric::Height, ..Search::default() },
        output: Output::default(),
        source: job.map_or_else(|| Source::of_file("the table"), |job| job.source.clone()),
    }
}
