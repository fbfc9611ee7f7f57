//! Which draws the answer shows as a whole. How many rows such a relation has is no secret: whoever has the answer can count them.

use crate::operator::Operator;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// The numbers of the randomisations that stand at the root of a plan, below nothing but projections, orders, names, unions, and counts of all rows.
///
/// Estimates name the values of the noisy columns, so these columns must be shown as well.
pub(super) fn whole(plan: &LogicalPlan) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    below(plan, true, &vec![true; plan.schema().fields().len()], &mut found);
    Ok(found)
}

/// `all_shown`: whether every column of this node is shown as it is. `shown`: which of its columns are.
fn below(plan: &LogicalPlan, all_shown: bool, shown: &[bool], found: &mut Vec<u64>) {
    if let Some(Operator::Randomize(node)) = Operator::of(plan) {
        let schema = node.input().schema();
        let seen = |column: &Column| schema.maybe_index_of_column(column).is_some_and(|at| shown[at]);
        if node.what().columns().all(seen) {
            found.push(node.what().draw.number());
        }
        // What is below has the same rows, but is not shown itself.
        return;
    }
    match plan {
        LogicalPlan::Projection(node) => {
            let passed = passed(&node.expr, shown, &node.input);
            below(&node.input, all_shown && passes_all(&node.expr, &node.input), &passed, found);
        }
        LogicalPlan::SubqueryAlias(node) => below(&node.input, all_shown, shown, found),
        LogicalPlan::Sort(node) if node.fetch.is_none() => below(&node.input, all_shown, shown, found),
        LogicalPlan::Union(node) => {
            node.inputs.iter().for_each(|input| below(input, all_shown, shown, found))
        }
        // The counts tell how many rows there are, if they are shown.
        LogicalPlan::Aggregate(node) if all_shown && node.aggr_expr.iter().any(counts_all) => {
            below(&node.input, true, &passed(&node.group_expr, shown, &node.input), found);
        }
        _ => {}
    }
}

/// Which columns of the input stand as they are in a shown expression.
fn passed(exprs: &[Expr], shown: &[bool], input: &LogicalPlan) -> Vec<bool> {
    let columns: Vec<Column> = exprs
        .iter()
        .zip(shown)
        .filter(|(_, shown)| **shown)
        .filter_map(|(expr, _)| expr.clone().unalias_nested().data.try_as_col().cloned())
        .collect();
    input.schema().columns().iter().map(|column| columns.contains(column)).collect()
}

/// Whether every column of the input is shown as it is.
fn passes_all(shown: &[Expr], input: &LogicalPlan) -> bool {
    let columns: Vec<_> =
        shown.iter().filter_map(|expr| expr.clone().unalias_nested().data.try_as_col().cloned()).collect();
    input.schema().columns().iter().all(|column| columns.contains(column))
}

/// `count(*)`, of all rows.
fn counts_all(expr: &Expr) -> bool {
    let Expr::AggregateFunction(call) = expr.clone().unalias_nested().data else { return false };
    let all = call
        .params
        .args
        .iter()
        .all(|argument| matches!(argument, Expr::Literal(value, _) if !value.is_null()));
    call.func.name() == "count" && all && !call.params.distinct && call.params.filter.is_none()
}
