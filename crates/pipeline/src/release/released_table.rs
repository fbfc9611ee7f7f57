//! The released table: generalized codes of the rows that stay, counted.

use super::sequence::{RowCounter, Rows};
use paravent_job::RowOrder;
use paravent_prepare::study::StudyError;
use paravent_tables::spill::{Budget, SpillError};
use paravent_tables::write::{ColumnKind, OutputFormat, ReleasedColumn, TableWriter, WriteError, Written};
use std::fs::File;
use std::path::Path;

/// The rows to release, as codes of released cells only.
#[derive(Debug)]
pub struct ReleasedTable {
    /// The columns with their cells, sorted; no cell is there that no released row shows.
    pub columns: Vec<ReleasedColumn>,
    pub(super) rows: Rows,
    pub(super) people: PeopleOfRows,
    /// By aggregated column: how much of its variance is lost inside classes.
    pub lost: Vec<(String, Option<f64>)>,
    /// Rows below all others that show a star in every cell; the code of the star by column.
    pub(super) stars: Option<(Vec<u32>, u64)>,
}

/// Where it is said whose row a row is.
#[derive(Debug)]
pub(super) enum PeopleOfRows {
    /// Nowhere: rows are counted.
    Nowhere,
    /// In the code after the last column.
    LastCode,
    /// Here, row by row in the order of writing, where rows that are alike are next to each other.
    InOrder(Vec<u32>),
}

/// What a suppressed row shows, where it shows anything.
const STAR: &str = "*";

impl ReleasedTable {
    /// Nothing: the rows are elsewhere.
    pub(crate) fn elsewhere() -> Result<ReleasedTable, StudyError> {
        let none = RowCounter::new(1, RowOrder::Canonical, Budget::unlimited())?;
        let column = ReleasedColumn { name: String::new(), kind: ColumnKind::Text, cells: vec![None] };
        let rows = none.finish()?.in_order(&[vec![0]], &[column], None)?;
        Ok(ReleasedTable {
            columns: Vec::new(),
            rows,
            people: PeopleOfRows::Nowhere,
            lost: Vec::new(),
            stars: None,
        })
    }

    /// Writes the rows. Where people are counted: the person of every row that was written, in order.
    pub fn write(
        &self,
        path: &Path,
        file: File,
        format: &OutputFormat,
    ) -> Result<(Written, Option<Vec<u32>>), ReleaseError> {
        let mut writer = TableWriter::new(path, file, format, &self.columns)?;
        let mut persons = match &self.people {
            PeopleOfRows::Nowhere => None,
            PeopleOfRows::LastCode => Some(Vec::new()),
            PeopleOfRows::InOrder(persons) => Some(persons.clone()),
        };
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            if let (Some(persons), [person]) = (&mut persons, person) {
                persons.extend(std::iter::repeat_n(*person, count as usize));
            }
            Ok(writer.push(cells, count)?)
        })?;
        if let Some((codes, rows)) = &self.stars {
            writer.push(codes, *rows)?;
        }
        Ok((writer.finish()?, persons))
    }

    /// Adds a row for each suppressed one, below all others, with a star in every cell: it tells what the manifest says anyway.
    pub(crate) fn show_stars(&mut self, rows: u64) {
        let code = |column: &mut ReleasedColumn| {
            let known = column.cells.iter().position(|cell| cell.as_deref() == Some(STAR));
            known.unwrap_or_else(|| {
                column.cells.push(Some(STAR.to_owned()));
                column.cells.len() - 1
            }) as u32
        };
        if rows > 0 {
            self.stars = Some((self.columns.iter_mut().map(code).collect(), rows));
        }
    }

    /// Calls `visit` with the codes of each row, whose it is where people are counted, and how often it is there.
    pub fn each(&self, mut visit: impl FnMut(&[u32], Option<u32>, u64)) -> Result<(), ReleaseError> {
        let mut next = match &self.people {
            PeopleOfRows::InOrder(persons) => persons.iter(),
            PeopleOfRows::Nowhere | PeopleOfRows::LastCode => [].iter(),
        };
        self.rows.each(|codes, count| {
            let (cells, person) = codes.split_at(self.columns.len());
            match &self.people {
                PeopleOfRows::InOrder(_) => {
                    next.by_ref().take(count as usize).for_each(|&person| visit(cells, Some(person), 1));
                }
                PeopleOfRows::Nowhere | PeopleOfRows::LastCode => {
                    visit(cells, person.first().copied(), count);
                }
            }
            Ok(())
        })?;
        if let Some((codes, rows)) = &self.stars {
            visit(codes, None, *rows);
        }
        Ok(())
    }

    /// Whether the rows were more than memory may hold.
    pub fn is_spilled(&self) -> bool {
        self.rows.is_spilled()
    }
}

/// Why a released table could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Rows that memory cannot hold could not be read back.
    #[error(transparent)]
    Spill(#[from] SpillError),
}
