//! Columns of cells.

use std::fmt;

/// A table as columns of text; `None` is a missing cell. All columns have equally many.
#[derive(Clone)]
pub struct Table {
    columns: Vec<(String, Vec<Option<String>>)>,
}

impl Table {
    /// The columns, by name. Columns shorter than the longest are filled up with missing cells.
    pub fn new(mut columns: Vec<(String, Vec<Option<String>>)>) -> Table {
        let rows = columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        columns.iter_mut().for_each(|(_, cells)| cells.resize(rows, None));
        Table { columns }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }

    /// Names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The cells of a column.
    pub fn column(&self, name: &str) -> Option<&[Option<String>]> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, cells)| cells.as_slice())
    }
}

/// Cells stay out of logs.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} columns, {} rows)", self.columns.len(), self.rows())
    }
}
