//! What conditions ask about the data.

use datafusion::common::{Column, TableReference};
use datafusion::logical_expr::LogicalPlan;

/// Facts about relations. `None` means unknown; then a rule that needs the fact does not apply.
pub trait Facts {
    /// Exact number of rows.
    fn rows(&self, relation: &LogicalPlan) -> Option<u64>;

    /// Whether no two rows agree on the columns.
    fn is_key(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<bool>;

    /// Whether every combination of values of the left columns occurs among the right ones. A combination with a null in it occurs
    /// nowhere: it finds no partner in a join.
    fn contained(&self, left: (&LogicalPlan, &[Column]), right: (&LogicalPlan, &[Column])) -> Option<bool>;

    /// Whether a plan may hold a number that follows from these facts. Not where they were counted in the data: plans are shown.
    fn may_be_shown(&self) -> bool {
        true
    }

    /// Whether the labels of a column are formed from the values that occur in the relation.
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        None
    }

    /// Where a relation lives; `None`: with whoever asks.
    fn site(&self, _relation: &TableReference) -> Option<&str> {
        None
    }

    /// The level that a column is lifted to whatever is promised: 0 unless a job asks for more.
    fn least_level(&self, _column: &Column) -> Option<u32> {
        None
    }
}

/// Knows nothing: plans without data.
#[derive(Debug, Clone, Copy)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn rows(&self, _relation: &LogicalPlan) -> Option<u64> {
        None
    }

    fn is_key(&self, _relation: &LogicalPlan, _columns: &[Column]) -> Option<bool> {
        None
    }

    fn contained(&self, _left: (&LogicalPlan, &[Column]), _right: (&LogicalPlan, &[Column])) -> Option<bool> {
        None
    }
}
