//! What a run ends with.

use crate::evidence::{Population, Reference};
use crate::matches::Matches;
use std::collections::BTreeMap;
use std::fmt;

/// What one party has at the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The release: this party is where it arrives.
    Released(Release),
    /// No node keeps the promise.
    Infeasible,
    /// Another party has the release.
    Contributed,
    /// People were counted, and nothing else was to be done.
    Matched(Matches),
    /// Values of a column were put together, and nothing else was to be done.
    United(United),
}

/// All values of a column that the parties put together, each once, sorted as texts.
#[derive(Clone, PartialEq, Eq)]
pub struct United(pub Vec<String>);

/// Cells never reach a log.
impl fmt::Debug for United {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "United({} values)", self.0.len())
    }
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Levels by quasi-identifier, in the order of the plan.
    pub node: Vec<u8>,
    /// The loss.
    pub loss: f64,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Nodes checked.
    pub checks: u64,
    /// Tests of few columns.
    pub subset_tests: u64,
    /// Whether the node is proven optimal.
    pub optimal: bool,
}

/// The released table.
#[derive(Clone, PartialEq)]
pub struct Release {
    /// What the search found.
    pub facts: Facts,
    /// The columns, ascending by position in the plan.
    pub columns: Vec<ReleasedColumn>,
    /// Number of rows.
    pub rows: usize,
    /// Where δ-presence or k-map is promised.
    pub population: Option<Population>,
}

/// One released column.
#[derive(Clone, PartialEq)]
pub struct ReleasedColumn {
    /// Position in the plan.
    pub column: u16,
    /// Code → label, in the order of the labels.
    pub labels: Vec<Option<String>>,
    /// Row → code.
    pub cells: Vec<u32>,
    /// Where t-closeness is promised of it.
    pub reference: Option<Reference>,
}

impl Release {
    /// One row.
    pub fn row(&self, row: usize) -> Vec<Option<&str>> {
        self.columns.iter().map(|column| column.labels[column.cells[row] as usize].as_deref()).collect()
    }

    /// The rows as a multiset: each distinct row with its number. Does not depend on the order.
    pub fn multiset(&self) -> BTreeMap<Vec<Option<&str>>, u64> {
        let mut rows = BTreeMap::new();
        for row in 0..self.rows {
            *rows.entry(self.row(row)).or_insert(0) += 1;
        }
        rows
    }

    /// The rows of each class over these columns (positions in the plan).
    pub(crate) fn classes(&self, quasi_identifiers: &[u16]) -> BTreeMap<Vec<u32>, Vec<usize>> {
        let columns: Vec<&ReleasedColumn> =
            self.columns.iter().filter(|column| quasi_identifiers.contains(&column.column)).collect();
        let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.rows {
            classes.entry(columns.iter().map(|column| column.cells[row]).collect()).or_default().push(row);
        }
        classes
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Release({:?}, {} columns, {} rows)", self.facts, self.columns.len(), self.rows)
    }
}

impl fmt::Debug for ReleasedColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleasedColumn({} labels, {} rows)", self.labels.len(), self.cells.len())
    }
}
