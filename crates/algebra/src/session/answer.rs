//! What a statement gives back.

use crate::lower::Account;
use crate::rules::{Event, Trace};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use std::fmt;

/// The rows of a result, and how they came about.
pub struct Answer {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// What each operator did, innermost first.
    pub accounts: Vec<Account>,
    /// What the rewrite rules did.
    pub trace: Trace,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Answer {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Cells stay out of logs.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        f.debug_struct("Answer")
            .field("columns", &columns)
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}

/// How a statement would be run.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The plan as written.
    pub written: String,
    /// The plan after the rules.
    pub rewritten: String,
    /// What the rules did, and what they refused.
    pub trace: Trace,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "As written:\n{}", indented(&self.written))?;
        if self.written != self.rewritten {
            writeln!(f, "After rewriting:\n{}", indented(&self.rewritten))?;
        }
        write!(f, "Rules:\n{}", indented(&self.trace.to_string()))
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The log without the prices of plans: they are estimated from row counts.
pub(super) fn without_costs(mut trace: Trace) -> Trace {
    for event in &mut trace.events {
        if let Event::Applied(application) = event {
            application.cost = None;
        }
    }
    trace
}
