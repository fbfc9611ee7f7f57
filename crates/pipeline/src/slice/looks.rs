//! Columns of a table that look as if they named or numbered people: they leave only on the owner's word.

use super::{CodedCells, CodedTable};
use paravent_evidence::columns::{ColumnCells, Telling, identifying};
use paravent_job::{Job, Problems};

/// What a column seems to identify people by. `people` has the number of every row's person; without it every row is one.
pub(crate) fn looks_identifying(column: &CodedCells, people: Option<&[u32]>) -> Option<Telling> {
    let missing = column.missing();
    let there = column.codes.iter().enumerate().filter(|(_, code)| Some(**code) != missing);
    let holders = match people {
        Some(people) => {
            let mut own: Vec<u32> = there.map(|(row, _)| people[row]).collect();
            own.sort_unstable();
            own.dedup();
            own.len()
        }
        None => there.count(),
    };
    let cells: Vec<&str> = column.cells.iter().flatten().map(String::as_str).collect();
    identifying(&ColumnCells { name: &column.name, cells: &cells, people: holders as u64 })
}

/// `its cells look like e-mail addresses`
pub(crate) fn because(told: &Telling) -> String {
    match told.by_name {
        true => format!("by its name it is {}", told.looks),
        false => format!("its cells look like {}", told.looks),
    }
}

/// Refuses columns that would leave as they are and look identifying, all in one error. `places`: those that would, without the owner's word.
pub(crate) fn refuse_identifying(
    table: &CodedTable,
    people: Option<&[u32]>,
    job: &Job,
    places: &[usize],
) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for column in places.iter().map(|place| &table.columns[*place]) {
        let Some((at, _)) = job.attribute(&column.name) else { continue };
        let Some(told) = looks_identifying(column, people) else { continue };
        let message = format!("{} is released as it is, but {}", column.name, because(&told));
        problems.push(job.problem(&format!("attributes[{at}].role"), message).advise(
            "Write role = \"identifying\" to leave it out. If it must leave, add release = \"as it is\"",
        ));
    }
    problems.into_result(())
}
