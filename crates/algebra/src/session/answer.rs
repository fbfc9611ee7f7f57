//! What a statement gives back.

use crate::lower::Account;
use crate::operator::Promise;
use crate::origin::Shown;
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
    /// What a release of it would say.
    pub told: Told,
}

/// What an answer tells, as far as its plan says so.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// What became of the cells of every column; none for figures that are no cells.
    pub columns: Vec<Option<Shown>>,
    /// The generalizations whose rows the answer shows.
    pub promises: Vec<ShownPromise>,
    /// The tables of the session that the statement reads.
    pub tables: Vec<String>,
    /// Where its rows stand for groups and it is to be released: what the exact cells tell of the rows that were grouped.
    pub grouped: Option<GroupedRows>,
}

/// The rows below a grouping, counted by the exact cells that it groups by. For the house alone: the answer does not tell how many they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedRows {
    /// Rows that were grouped.
    pub people: u64,
    /// Those that are a group of their own.
    pub singled_out: u64,
    /// By key: its name, and the rows whose cell in it is nobody else's.
    pub columns: Vec<(String, u64)>,
}

/// A promise about the rows of an answer.
#[derive(Debug, Clone)]
pub struct ShownPromise {
    /// The columns of the answer that tell a label, by their places.
    pub labels: Vec<usize>,
    /// What is promised.
    pub promise: Promise,
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
