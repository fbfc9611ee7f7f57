//! The columns that leave as they are: do they name people, or single them out?

use super::{ReleaseError, ReleasedTable};
use paravent_core::release::Solution;
use paravent_evidence::columns::{ColumnCells, Telling, identifying};
use paravent_evidence::risk::unchanged::{OnRow, singled_out};
use paravent_job::{Attribute, Job, Problem, Problems, Release, Role};
use paravent_prepare::study::Study;
use paravent_report::{UnchangedColumn, UnchangedFacts};
use paravent_tables::write::ReleasedColumn;

/// Judges the columns of a release that are no quasi-identifiers; `None` where there is none.
///
/// # Errors
/// If one looks as if it named people, and the job does not say that it may leave as it is.
pub fn unchanged<E: From<ReleaseError> + From<Problems>>(
    study: &Study,
    solution: &Solution,
    released: &ReleasedTable,
) -> Result<Option<UnchangedFacts>, E> {
    let columns = study.columns.released().zip(&released.columns).enumerate();
    let columns: Vec<Unchanged<'_>> = columns
        .filter_map(|(place, ((_, input), column))| {
            let (index, attribute) = study.job.attribute(&input.name)?;
            let is_changed = matches!(attribute.role, Role::QuasiIdentifier | Role::Identifying);
            (!is_changed).then_some(Unchanged { place, index, attribute, column })
        })
        .collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let holders = holders(&columns, released)?;
    let told = columns.iter().zip(holders).map(|(column, people)| column.telling(people));
    let told: Vec<Option<Telling>> = told.collect();
    refuse(&study.job, &columns, &told)?;
    let cardinalities: Vec<usize> = columns.iter().map(|column| column.column.cells.len()).collect();
    let rows = study.table.row_count() - solution.suppressed_rows;
    let each = |on_row: OnRow<'_>| -> Result<(), ReleaseError> {
        let mut codes = vec![0u32; columns.len()];
        released.each(|row, person, count| {
            codes.iter_mut().zip(&columns).for_each(|(code, column)| *code = row[column.place]);
            on_row(&codes, person, count);
        })
    };
    let found = singled_out(&cardinalities, rows, each)?;
    let facts = |((column, told), singled_out): ((&Unchanged<'_>, Option<Telling>), u64)| UnchangedColumn {
        column: column.attribute.name.clone(),
        singled_out,
        looks: told.map(|told| told.looks),
    };
    Ok(Some(UnchangedFacts {
        people: found.people,
        singled_out: found.by_all,
        columns: columns.iter().zip(told).zip(found.by_column).map(facts).collect(),
    }))
}

/// A released column that is not generalized.
struct Unchanged<'a> {
    /// Its place among the released columns.
    place: usize,
    /// Its place among the job's attributes.
    index: usize,
    attribute: &'a Attribute,
    column: &'a ReleasedColumn,
}

impl Unchanged<'_> {
    fn telling(&self, people: u64) -> Option<Telling> {
        let cells: Vec<&str> = self.column.cells.iter().flatten().map(String::as_str).collect();
        identifying(&ColumnCells { name: &self.attribute.name, cells: &cells, people })
    }
}

/// By column: people (or rows) with a cell that is not missing.
fn holders(columns: &[Unchanged<'_>], released: &ReleasedTable) -> Result<Vec<u64>, ReleaseError> {
    let missing: Vec<Option<u32>> = columns
        .iter()
        .map(|column| column.column.cells.iter().position(Option::is_none).map(|code| code as u32))
        .collect();
    let mut rows = vec![0u64; columns.len()];
    let mut people: Vec<Vec<bool>> = vec![Vec::new(); columns.len()];
    released.each(|codes, person, count| {
        for ((column, missing), (rows, people)) in
            columns.iter().zip(&missing).zip(rows.iter_mut().zip(&mut people))
        {
            if Some(codes[column.place]) == *missing {
                continue;
            }
            *rows += count;
            if let Some(person) = person.map(|person| person as usize) {
                people.resize(people.len().max(person + 1), false);
                people[person] = true;
            }
        }
    })?;
    let counted = people.iter().map(|people| people.iter().filter(|has| **has).count() as u64);
    Ok(counted.zip(rows).map(|(people, rows)| if people > 0 { people } else { rows }).collect())
}

/// All columns that look identifying and must not pass, in one error.
fn refuse(job: &Job, columns: &[Unchanged<'_>], told: &[Option<Telling>]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let names: Vec<&str> = columns.iter().map(|column| column.attribute.name.as_str()).collect();
    for (column, told) in columns.iter().zip(told) {
        if column.attribute.release == Some(Release::AsItIs) {
            continue;
        }
        let name = &column.attribute.name;
        match told {
            Some(told) => problems.push(problem(job, Some(column.index), name, *told)),
            None => problems.extend(key_problem(job, &names, name)),
        }
    }
    problems.into_result(())
}

/// The columns that say whose row it is number people, whatever their cells look like. A part of the key may leave; where all of it does, each of its
/// columns is a problem.
pub(crate) fn key_problem(job: &Job, leaving: &[&str], name: &str) -> Option<Problem> {
    let key = &job.privacy.person;
    let leaves = key.iter().any(|column| column == name)
        && key.iter().all(|column| leaving.contains(&column.as_str()));
    let index = job.attribute(name).map(|(index, _)| index);
    leaves.then(|| naming_problem(job, index, name, "privacy.person says that it numbers people"))
}

/// `its cells look like e-mail addresses`
pub(crate) fn because(told: Telling) -> String {
    match told.by_name {
        true => format!("by its name it is {}", told.looks),
        false => format!("its cells look like {}", told.looks),
    }
}

/// The refusal of a column that looks as if it named people, with the place of its attribute in the job.
pub(crate) fn problem(job: &Job, index: Option<usize>, name: &str, told: Telling) -> Problem {
    naming_problem(job, index, name, &because(told))
}

fn naming_problem(job: &Job, index: Option<usize>, name: &str, because: &str) -> Problem {
    let message = format!("{name} is released as it is, but {because}");
    let key = index.map_or_else(|| "attributes".to_owned(), |index| format!("attributes[{index}].role"));
    job.problem(&key, message).advise(
        "Write role = \"identifying\" to leave it out or role = \"quasi-identifier\" to generalize it. If it \
         must leave, add release = \"as it is\"",
    )
}
