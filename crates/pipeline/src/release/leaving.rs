//! Columns that leave as they are by other ways than the search: joint releases, sliced and noisy tables, answers of SQL.
//!
//! They are judged as [`unchanged`](super::unchanged) judges those of a release: what looks as if it named people is refused unless the job
//! says otherwise, and how many people the rest singles out is told.

use super::unchanged::{key_problem, problem};
use paravent_evidence::columns::{ColumnCells, Telling, identifying};
use paravent_evidence::risk::unchanged::singled_out_in_groups;
use paravent_job::{Job, Problems, Release, Role};
use paravent_prepare::study::{Study, StudyError};
use paravent_report::{UnchangedColumn, UnchangedFacts};
use paravent_tables::encode::ScanError;
use paravent_tables::read::Batch;
use paravent_tables::watch::Watch;
use std::collections::BTreeSet;

/// A column of a table in memory.
#[derive(Clone, Copy)]
pub struct Leaving<'a> {
    /// Its name.
    pub name: &'a str,
    /// By code: the cell, `None` where it is missing.
    pub cells: &'a [Option<String>],
    /// By row: the code.
    pub codes: &'a [u32],
}

impl Leaving<'_> {
    /// What it seems to identify people by. `people` says whose row each row is; without it every row is a person.
    pub fn looks(&self, people: Option<&[u32]>) -> Option<Telling> {
        let mut used = vec![false; self.cells.len()];
        let mut holders = BTreeSet::new();
        for (row, &code) in self.codes.iter().enumerate() {
            used[code as usize] = true;
            if self.cells[code as usize].is_some() {
                holders.insert(people.map_or(row as u32, |people| people[row]));
            }
        }
        let shown = self.cells.iter().zip(&used).filter(|(_, used)| **used);
        let cells: Vec<&str> = shown.filter_map(|(cell, _)| cell.as_deref()).collect();
        identifying(&ColumnCells { name: self.name, cells: &cells, people: holders.len() as u64 })
    }
}

/// Refuses columns that look as if they named people, all in one error, unless the job lets them pass.
///
/// # Errors
/// One problem for each such column.
pub fn refuse_naming(job: &Job, columns: &[Leaving<'_>], people: Option<&[u32]>) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    for column in columns {
        let known = job.attribute(column.name);
        if known.is_some_and(|(_, attribute)| attribute.release == Some(Release::AsItIs)) {
            continue;
        }
        match column.looks(people) {
            Some(told) => problems.push(problem(job, known.map(|(index, _)| index), column.name, told)),
            None => problems.extend(key_problem(job, &names, column.name)),
        }
    }
    problems.into_result(())
}

/// How many people the columns single out that leave as they are and stand together; `None` without a column.
pub fn singled_out_by(columns: &[Leaving<'_>], people: Option<&[u32]>) -> Option<UnchangedFacts> {
    singled_out_in(columns, &[(0..columns.len()).collect()], people)
}

/// The same where only the columns of a group stand together. `groups` has places of columns.
pub fn singled_out_in(
    columns: &[Leaving<'_>],
    groups: &[Vec<usize>],
    people: Option<&[u32]>,
) -> Option<UnchangedFacts> {
    if columns.is_empty() {
        return None;
    }
    let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes).collect();
    let found = singled_out_in_groups(&codes, groups, people);
    let facts = |(column, singled_out): (&Leaving<'_>, u64)| UnchangedColumn {
        column: column.name.to_owned(),
        singled_out,
        looks: None,
    };
    Some(UnchangedFacts {
        people: found.people,
        singled_out: found.by_all,
        columns: columns.iter().zip(found.by_column).map(facts).collect(),
    })
}

/// Refuses a table whose columns would leave as they are and look as if they named people. Reads these columns once more: for those who
/// send rows before anybody counts them.
///
/// # Errors
/// If such a column is found, or the table cannot be read.
pub fn refuse_naming_in(study: &Study, watch: &dyn Watch) -> Result<(), StudyError> {
    let job = &study.job;
    let released: Vec<(usize, &str)> = study
        .columns
        .released()
        .filter(|(_, column)| {
            let known = job.attribute(&column.name);
            known.is_some_and(|(_, attribute)| {
                attribute.role != Role::QuasiIdentifier && attribute.release != Some(Release::AsItIs)
            })
        })
        .map(|(index, column)| (index, column.name.as_str()))
        .collect();
    if released.is_empty() {
        return Ok(());
    }
    let mut source = study.input.open()?;
    source.select(&released.iter().map(|(index, _)| *index).collect::<Vec<_>>())?;
    let mut shown: Vec<(BTreeSet<String>, u64)> = vec![Default::default(); released.len()];
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        if watch.stop() {
            return Err(StudyError::Scan(ScanError::Stopped));
        }
        for ((cells, rows), column) in shown.iter_mut().zip(&batch.columns) {
            for cell in column.iter().flatten() {
                *rows += 1;
                if !cells.contains(cell) {
                    cells.insert(cell.to_owned());
                }
            }
        }
    }
    let mut problems = Problems::default();
    for ((_, name), (cells, people)) in released.iter().zip(&shown) {
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if let Some(told) = identifying(&ColumnCells { name, cells: &cells, people: *people }) {
            problems.push(problem(job, job.attribute(name).map(|(index, _)| index), name, told));
        }
    }
    problems.into_result(()).map_err(StudyError::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(list: &[&str]) -> Vec<Option<String>> {
        list.iter().map(|cell| (!cell.is_empty()).then(|| (*cell).to_owned())).collect()
    }

    #[test]
    fn what_names_people_is_told_and_what_many_share_is_not() {
        let mails: Vec<String> = (0..40).map(|n| format!("p{n}@example.org")).collect();
        let mails = cells(&mails.iter().map(String::as_str).collect::<Vec<_>>());
        let codes: Vec<u32> = (0..40).collect();
        assert!(Leaving { name: "x", cells: &mails, codes: &codes }.looks(None).is_some());
        let wards = cells(&["north", "south", ""]);
        let codes: Vec<u32> = (0..40).map(|row| row % 3).collect();
        assert!(Leaving { name: "ward", cells: &wards, codes: &codes }.looks(None).is_none());
    }

    #[test]
    fn people_are_singled_out_by_columns_together() {
        let (a, b) = (cells(&["x", "y"]), cells(&["1", "2"]));
        let columns = [
            Leaving { name: "a", cells: &a, codes: &[0, 0, 1, 1] },
            Leaving { name: "b", cells: &b, codes: &[0, 1, 0, 0] },
        ];
        let found = singled_out_by(&columns, None).unwrap();
        assert_eq!((found.people, found.singled_out), (4, 2));
        assert_eq!(found.columns.iter().map(|column| column.singled_out).collect::<Vec<_>>(), [0, 1]);
        let found = singled_out_by(&columns, Some(&[7, 7, 8, 8])).unwrap();
        assert_eq!((found.people, found.singled_out), (2, 2));
        assert!(singled_out_by(&[], None).is_none());
        // Apart, only the one cell of b that nobody else has tells somebody from the others.
        let found = singled_out_in(&columns, &[vec![0], vec![1]], None).unwrap();
        assert_eq!((found.people, found.singled_out), (4, 1));
    }
}
