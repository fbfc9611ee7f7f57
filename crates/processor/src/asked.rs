//! A statement with who puts it, and its answer.

use crate::question::Kind;
use serde_json::Value;

/// An answer with what it says about itself.
pub struct Answered {
    /// The columns, as the statement names them.
    pub columns: Vec<String>,
    /// What their cells are.
    pub kinds: Vec<Kind>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// What was done.
    pub annotation: Value,
}

/// Cells stay out of logs.
impl std::fmt::Debug for Answered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answered")
            .field("columns", &self.columns)
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

/// A statement, and who puts it.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The recipient.
    pub role: &'a str,
    /// What for.
    pub purpose: &'a str,
    /// The statement.
    pub sql: &'a str,
    /// `$1` is the first of them; none is NULL.
    pub parameters: &'a [Option<String>],
    /// What it may take; the engine's own limits where nothing is said.
    pub bounds: Option<Bounds>,
}

/// Constants may be cells, so they are not shown.
impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("role", &self.role)
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

/// What a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Seconds of the SQL engine; at least 1.
    pub seconds: u64,
    /// MiB that the SQL engine keeps beside the table; at least 1.
    pub mebibytes: u64,
}
