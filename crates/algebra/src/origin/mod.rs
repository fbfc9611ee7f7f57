//! Where the cells of a relation come from: what a plan tells about the columns of its tables.
//!
//! A name says nothing about that. `SELECT name AS x`, `min(name)`, `upper(name)` and a CTE in between are all the column `name`
//! of the table, so columns are followed through the plan, node by node.

mod copies;
mod expression;
mod flow;

pub use copies::{Maker, makers};
pub use flow::{Flow, flow};

/// A column of a table that a relation tells something about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The table, as the plan calls it.
    pub table: String,
    /// The column of the table.
    pub column: String,
    /// How much of its cells is left.
    pub shown: Shown,
}

/// What an operator has made of a cell on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// No operator was asked to change it.
    Exactly,
    /// Generalized: it shares its labels with others.
    Generalized,
    /// Randomized: it may be another one.
    Redrawn,
    /// Sliced: exact, but beside cells of other rows.
    Sliced,
    /// The key of a group of noisy figures.
    Grouped,
}
