//! What an operator did, as data.

use serde::Serialize;
use std::fmt;

/// What one operator did. Tells of levels and numbers, never of cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "operator", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Account {
    /// α^G
    Generalize(GeneralizeAccount),
}

/// What α^G found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeneralizeAccount {
    /// What was promised, and holds.
    pub promise: String,
    /// Where every quasi-identifier ended.
    pub levels: Vec<Level>,
    /// The measure of loss.
    pub metric: &'static str,
    /// The least loss there is, if `optimal`.
    pub loss: f64,
    /// Whether the whole lattice is decided.
    pub optimal: bool,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Classes in the result.
    pub classes: u64,
    /// Rows of the smallest.
    pub smallest_class: u64,
    /// Full checks the search made.
    pub checks: u64,
}

/// The level of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The column.
    pub column: String,
    /// Its level; 0 is unchanged.
    pub level: u8,
    /// The highest there is.
    pub of: u8,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::Generalize(account) => account.fmt(f),
        }
    }
}

impl fmt::Display for GeneralizeAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self
            .levels
            .iter()
            .map(|level| format!("{} {}/{}", level.column, level.level, level.of))
            .collect();
        let best = if self.optimal { "the best there is" } else { "the best found" };
        write!(
            f,
            "generalize ({}): levels {}; {} {:.6}, {best}; {} classes, the smallest of {} rows; {} rows suppressed",
            self.promise,
            levels.join(", "),
            self.metric,
            self.loss,
            self.classes,
            self.smallest_class,
            self.suppressed_rows
        )
    }
}
