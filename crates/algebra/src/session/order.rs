//! The order of result rows.
//!
//! Rows that went through an operator must not tell where they stood in the source. So where a query does not sort, all its columns do, and where it does,
//! they decide among rows that it leaves equal.

use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Sort, SortExpr};
use std::sync::Arc;

/// The plan with rows in an order that depends on nothing but the rows.
pub(super) fn canonical(plan: LogicalPlan) -> Result<LogicalPlan> {
    match within(&plan)? {
        Some(ordered) => Ok(ordered),
        None => by_all(plan),
    }
}

/// Where the plan sorts or cuts already, the same with all columns to decide among equals.
fn within(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    match plan {
        LogicalPlan::Sort(sort) => {
            let mut keys = sort.expr.clone();
            let more = columns(&sort.input)
                .into_iter()
                .filter(|key| !sort.expr.iter().any(|own| own.expr == key.expr));
            keys.extend(more);
            let input = Arc::clone(&sort.input);
            Ok(Some(LogicalPlan::Sort(Sort { expr: keys, input, fetch: sort.fetch })))
        }
        LogicalPlan::Limit(limit) => {
            let input = canonical(limit.input.as_ref().clone())?;
            Ok(Some(plan.with_new_exprs(plan.expressions(), vec![input])?))
        }
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) => match plan.inputs().first() {
            Some(input) => match within(input)? {
                Some(input) => Ok(Some(plan.with_new_exprs(plan.expressions(), vec![input])?)),
                None => Ok(None),
            },
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn by_all(plan: LogicalPlan) -> Result<LogicalPlan> {
    let keys = columns(&plan);
    match keys.is_empty() {
        true => Ok(plan),
        false => LogicalPlanBuilder::from(plan).sort(keys)?.build(),
    }
}

fn columns(plan: &LogicalPlan) -> Vec<SortExpr> {
    plan.schema().columns().into_iter().map(|column| Expr::Column(column).sort(true, false)).collect()
}
