//! Facts that are read off the rows.

use super::{Row, Tables, bag};
use datafusion::common::Column;
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::operator::Operator;
use paravent_algebra::rules::Facts;
use std::collections::BTreeSet;

/// Knows everything about relations without an operator in them, and nothing about others: their rows are not decided yet.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a>(pub &'a Tables);

impl Counted<'_> {
    fn cells(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<Vec<Row>> {
        if relation.exists(|node| Ok(Operator::of(node).is_some())).unwrap() {
            return None;
        }
        let places = columns.iter().map(|column| relation.schema().index_of_column(column));
        let places = places.collect::<Result<Vec<usize>, _>>().ok()?;
        let rows = bag(relation, self.0).ok()?;
        let part = |row: Row| places.iter().map(|&place| row[place].clone()).collect();
        Some(rows.into_iter().map(part).collect())
    }
}

impl Facts for Counted<'_> {
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        Some(false)
    }

    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        Some(self.cells(relation, &[])?.len() as u64)
    }

    fn is_key(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<bool> {
        let cells = self.cells(relation, columns)?;
        Some(cells.iter().collect::<BTreeSet<_>>().len() == cells.len())
    }

    fn contained(&self, left: (&LogicalPlan, &[Column]), right: (&LogicalPlan, &[Column])) -> Option<bool> {
        let right = self.cells(right.0, right.1)?;
        let meets = |row: &Row| row.iter().all(Option::is_some) && right.contains(row);
        Some(self.cells(left.0, left.1)?.iter().all(meets))
    }

    fn least_level(&self, _column: &Column) -> Option<u32> {
        Some(0)
    }
}
