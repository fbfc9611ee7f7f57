//! The tables a benchmark runs on: coded row by row, with a ladder for each column.

mod folder;
mod generate;
mod job_folder;
mod lake;
mod sensitive;
mod shape;
mod splitmix;

pub use folder::load;
pub(crate) use lake::write_hierarchy;
pub use lake::{Lake, write as write_lake};
pub use shape::{Shape, ShapeColumn, ShapeError};
pub(crate) use splitmix::{below, number};

use crate::error::BenchError;
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_pipeline::encode::CodedColumn;
use std::path::PathBuf;

/// A table in memory, and how its columns generalize.
#[derive(Debug)]
pub struct DataSet {
    /// What it is called: the folder's name.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// The columns, in the order of the table.
    pub columns: Vec<Column>,
    /// Position of the column that diversity and closeness look at, unless a case says otherwise.
    pub sensitive: usize,
    /// Where it comes from.
    pub origin: Origin,
    /// Things the user should know.
    pub notes: Vec<String>,
}

/// One column of a [`DataSet`].
#[derive(Debug)]
pub struct Column {
    /// Its dictionary; codes follow the order of the texts.
    pub coded: CodedColumn,
    /// Row → code.
    pub codes: Vec<u32>,
    /// Its hierarchy and the levels over the values present; `None`: the column can only be sensitive.
    pub levels: Option<Levels>,
}

/// How a column generalizes.
#[derive(Debug)]
pub struct Levels {
    /// As it was written down.
    pub hierarchy: Hierarchy,
    /// Over the values present.
    pub ladder: Ladder,
    /// Lowest level allowed.
    pub lowest: u8,
    /// Highest level allowed.
    pub highest: u8,
    /// Whether the column may be a quasi-identifier; sensitive columns of a job have levels for distances only.
    pub generalizes: Generalizes,
}

/// What the levels of a column are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generalizes {
    /// The column is a quasi-identifier.
    Yes,
    /// The levels say how far apart values are.
    ForDistancesOnly,
}

/// Where a data set comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A table and hierarchy files.
    Files {
        /// The table.
        table: PathBuf,
        /// Column → hierarchy file.
        hierarchies: Vec<(String, PathBuf)>,
    },
    /// A job file.
    Job(PathBuf),
    /// Made up.
    Generated,
}

impl DataSet {
    /// Makes up the table of a shape.
    pub fn generate(shape: &Shape) -> Result<DataSet, BenchError> {
        generate::generate(shape)
    }

    /// Position of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.coded.name == name)
    }

    /// Positions of all columns that can be quasi-identifiers.
    pub fn quasi_identifiers(&self) -> Vec<usize> {
        let generalizes = |column: &Column| {
            column.levels.as_ref().is_some_and(|levels| levels.generalizes == Generalizes::Yes)
        };
        (0..self.columns.len()).filter(|&position| generalizes(&self.columns[position])).collect()
    }

    /// The same without the sensitive column.
    pub fn quasi_identifiers_beside_sensitive(&self) -> Vec<usize> {
        self.quasi_identifiers().into_iter().filter(|&position| position != self.sensitive).collect()
    }

    /// Declares another column sensitive.
    pub fn with_sensitive(mut self, name: &str) -> Result<DataSet, BenchError> {
        let unknown = || BenchError::NoSuchColumn {
            dataset: self.name.clone(),
            column: name.to_owned(),
            columns: self.columns.iter().map(|column| column.coded.name.clone()).collect(),
        };
        self.sensitive = self.position(name).ok_or_else(unknown)?;
        Ok(self)
    }
}

impl Column {
    /// A column whose codes follow the order of first appearance: recoded to follow the order of the texts.
    fn sorted(mut coded: CodedColumn, mut codes: Vec<u32>) -> Column {
        let (dictionary, new_code) = coded.dictionary.sorted();
        for code in &mut codes {
            *code = new_code[*code as usize];
        }
        let mut first_seen = coded.first_seen.clone();
        for (&new, &seen) in new_code.iter().zip(&coded.first_seen) {
            first_seen[new as usize] = seen;
        }
        (coded.dictionary, coded.first_seen) = (dictionary, first_seen);
        Column { coded, codes, levels: None }
    }
}

impl Levels {
    /// All levels of a hierarchy over the values of a column.
    fn climb(
        hierarchy: Hierarchy,
        column: &CodedColumn,
    ) -> Result<Levels, paravent_core::hierarchy::LadderError> {
        let ladder = hierarchy.ladder(&column.dictionary.cells())?;
        let highest = ladder.max_level();
        Ok(Levels { hierarchy, ladder, lowest: 0, highest, generalizes: Generalizes::Yes })
    }
}
