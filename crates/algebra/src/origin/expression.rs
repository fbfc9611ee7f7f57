//! What an expression tells about the columns it reads.

use super::Origin;
use super::flow::flow_in;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionDefinition};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::collections::BTreeSet;

/// Rows that an expression can refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) schema: &'a DFSchema,
    pub(super) columns: &'a [BTreeSet<Origin>],
}

/// Aggregates that tell how many and not what.
const COUNTING: [&str; 2] = ["count", "approx_distinct"];

/// All that the value of an expression depends on; the innermost scope is the last.
pub(super) fn read(expr: &Expr, scopes: &[Scope<'_>]) -> Result<BTreeSet<Origin>> {
    let mut told = BTreeSet::new();
    expr.apply(|part| {
        let of_query = |query: &LogicalPlan| -> Result<BTreeSet<Origin>> {
            Ok(flow_in(query, scopes)?.columns.into_iter().flatten().collect())
        };
        match part {
            Expr::Column(column) | Expr::OuterReferenceColumn(_, column) => told.extend(of(column, scopes)),
            Expr::AggregateFunction(function) if COUNTING.contains(&function.func.name()) => {
                return Ok(TreeNodeRecursion::Jump);
            }
            Expr::WindowFunction(function) => {
                told.extend(of_window(function, scopes)?);
                return Ok(TreeNodeRecursion::Jump);
            }
            Expr::ScalarSubquery(query) => told.extend(of_query(&query.subquery)?),
            Expr::InSubquery(within) => told.extend(of_query(&within.subquery.subquery)?),
            Expr::SetComparison(compared) => told.extend(of_query(&compared.subquery.subquery)?),
            // That there is a row tells none of its cells.
            Expr::Exists(_) => return Ok(TreeNodeRecursion::Jump),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(told)
}

fn of(column: &Column, scopes: &[Scope<'_>]) -> BTreeSet<Origin> {
    let found = scopes.iter().rev().find_map(|scope| {
        let place = scope.schema.maybe_index_of_column(column)?;
        scope.columns.get(place).cloned()
    });
    found.unwrap_or_default()
}

/// What the rows are divided by is counted, not shown; what they are sorted by is shown as a rank.
fn of_window(function: &WindowFunction, scopes: &[Scope<'_>]) -> Result<BTreeSet<Origin>> {
    let counts = match &function.fun {
        WindowFunctionDefinition::AggregateUDF(aggregate) => COUNTING.contains(&aggregate.name()),
        WindowFunctionDefinition::WindowUDF(_) => false,
    };
    let params = &function.params;
    let args = params.args.iter().filter(|_| !counts);
    let sorted = params.order_by.iter().map(|key| &key.expr);
    let mut told = BTreeSet::new();
    for expr in args.chain(sorted).chain(params.filter.as_deref()) {
        told.extend(read(expr, scopes)?);
    }
    Ok(told)
}
