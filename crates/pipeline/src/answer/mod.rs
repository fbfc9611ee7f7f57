//! The answer of a query as a release: what leaves SQL is written, verified and registered like any other release.
//!
//! Whoever ran the query says what became of every column and what is promised about the rows ([`ReleasedAnswer`]); this module knows neither plans nor
//! operators. What is handed out has no statement in it, because statements may hold cells; the private folder has.

mod manifest;
mod release;

pub use release::{dry_run, write_answer};

pub use paravent_report::PrivateAnswer;
use paravent_report::UnchangedFacts;
use serde_json::Value;

/// What has become of the cells of a released column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownCells {
    /// Labels of a generalization.
    Generalized,
    /// Cells that were redrawn with some probability.
    Redrawn,
    /// Cells that were put into another order inside hidden buckets.
    Sliced,
    /// Figures with noise, and the keys of their groups.
    Noisy,
    /// Cells as they were, or computed from such.
    AsItIs,
    /// No cell of a table, such as a count.
    Computed,
}

impl ShownCells {
    /// The word for it in manifests.
    pub fn word(self) -> &'static str {
        match self {
            ShownCells::Generalized => "generalized",
            ShownCells::Redrawn => "redrawn",
            ShownCells::Sliced => "sliced",
            ShownCells::Noisy => "noisy",
            ShownCells::AsItIs => "as it is",
            ShownCells::Computed => "computed",
        }
    }
}

/// A column of the answer.
#[derive(Clone)]
pub struct AnswerColumn {
    /// Its name.
    pub name: String,
    /// What has become of its cells.
    pub shown: ShownCells,
    /// The cell of every row; none where it is missing.
    pub cells: Vec<Option<String>>,
}

/// Cells stay out of logs.
impl std::fmt::Debug for AnswerColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AnswerColumn({}, {} rows)", self.name, self.cells.len())
    }
}

/// What a generalization promises about the rows of the answer.
#[derive(Debug, Clone)]
pub struct AnswerPromise {
    /// The columns with its labels.
    pub quasi_identifiers: Vec<String>,
    /// The models, by name, and what they require.
    pub models: Vec<(String, Value)>,
}

/// An answer that is to be released.
#[derive(Debug, Clone)]
pub struct ReleasedAnswer {
    /// Its columns.
    pub columns: Vec<AnswerColumn>,
    /// What can be checked on its rows.
    pub promises: Vec<AnswerPromise>,
    /// The operators it went through, innermost first.
    pub operators: Vec<String>,
    /// What they did, in words that may be handed out.
    pub promised: Vec<String>,
    /// What a reader should know, in words that may be handed out.
    pub notes: Vec<String>,
    /// Whether draws can be repeated by whoever knows a seed.
    pub seeded: bool,
    /// Where rows stand for groups of people: whom the exact cells single out among the rows that were grouped.
    pub grouped: Option<UnchangedFacts>,
    /// What stays: the statement, and figures for the house alone.
    pub private: PrivateAnswer,
}

impl ReleasedAnswer {
    /// Its rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }
}

#[cfg(test)]
mod tests;
