//! Selections moved down to the operators they are about.
//!
//! A join between a selection and an operator keeps the two apart: σ over ⋈ over α^D. What a part of the selection reads on one side
//! alone it can as well read below the join (inner joins of bags, SelJoin of the classical rules). So before rules are tried, such parts
//! are moved to the side they read, where that side has an operator that they could pass.

use super::reach::has_subquery;
use crate::operator::Operator;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, JoinType, Result};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Expr, Filter, Join, LogicalPlan};
use std::sync::Arc;

/// The same rows with selections below joins, where an operator is below them.
pub(super) fn selections_down(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_down(moved)?.data)
}

fn moved(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Filter(filter) = &node else { return Ok(Transformed::no(node)) };
    let LogicalPlan::Join(join) = &*filter.input else { return Ok(Transformed::no(node)) };
    if join.join_type != JoinType::Inner {
        return Ok(Transformed::no(node));
    }
    let (left_schema, right_schema) = (join.left.schema(), join.right.schema());
    let (left_has, right_has) = (has_operator(&join.left), has_operator(&join.right));
    let (mut left, mut right, mut stays) = (Vec::new(), Vec::new(), Vec::new());
    for part in split_conjunction(&filter.predicate) {
        let fixed = !part.is_volatile() && !has_subquery(part);
        let parts = match fixed {
            true if left_has && reads_only(part, left_schema, right_schema) => &mut left,
            true if right_has && reads_only(part, right_schema, left_schema) => &mut right,
            _ => &mut stays,
        };
        parts.push(part.clone());
    }
    if left.is_empty() && right.is_empty() {
        return Ok(Transformed::no(node));
    }
    let below = LogicalPlan::Join(Join {
        left: selected(left, &join.left)?,
        right: selected(right, &join.right)?,
        ..join.clone()
    });
    let below = Arc::new(below);
    Ok(Transformed::yes(Arc::unwrap_or_clone(selected(stays, &below)?)))
}

fn selected(parts: Vec<Expr>, relation: &Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
    Ok(match conjunction(parts) {
        Some(predicate) => Arc::new(LogicalPlan::Filter(Filter::try_new(predicate, Arc::clone(relation))?)),
        None => Arc::clone(relation),
    })
}

/// Whether an expression reads columns, all of them on this side and none that the other side could mean.
fn reads_only(expr: &Expr, own: &DFSchema, other: &DFSchema) -> bool {
    let columns = expr.column_refs();
    !columns.is_empty() && columns.iter().all(|column| own.has_column(column) && !other.has_column(column))
}

fn has_operator(plan: &LogicalPlan) -> bool {
    plan.exists(|node| Ok(Operator::of(node).is_some())).unwrap_or(false)
}
