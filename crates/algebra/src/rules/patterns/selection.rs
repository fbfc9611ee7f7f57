//! σ, and what its predicate reads.

use crate::rules::reach::has_subquery;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};
use std::sync::Arc;

/// σ over another relation.
pub(in crate::rules) fn filtered(predicate: &Expr, input: LogicalPlan) -> Result<LogicalPlan> {
    Ok(LogicalPlan::Filter(Filter::try_new(predicate.clone(), Arc::new(input))?))
}

/// The places that a predicate reads; the reason where it reads more than the row.
pub(in crate::rules) fn read_by(predicate: &Expr, schema: &DFSchema) -> Result<Vec<usize>, String> {
    if predicate.is_volatile() {
        return Err("the predicate is random itself".to_owned());
    }
    let subquery = |expr: &Expr| {
        matches!(
            expr,
            Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_) | Expr::SetComparison(_)
        )
    };
    let mut nested = predicate.contains_outer();
    // The visitor never fails: it only looks.
    let _ = datafusion::common::tree_node::TreeNode::apply(predicate, |expr| {
        nested |= subquery(expr);
        Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
    });
    if nested {
        return Err("the predicate has a subquery".to_owned());
    }
    let mut places = Vec::new();
    for column in predicate.column_refs() {
        match schema.maybe_index_of_column(column) {
            Some(place) => places.push(place),
            None => return Err("the predicate reads a column that the relation does not have".to_owned()),
        }
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Whether a predicate gives the same answer for the same row, from the row alone.
pub(in crate::rules) fn reads_the_row_only(predicate: &Expr) -> bool {
    !has_subquery(predicate) && !predicate.is_volatile()
}
