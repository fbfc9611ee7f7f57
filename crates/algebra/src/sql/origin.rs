//! Where the columns of a relation come from: a new name does not make a name harmless.

use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::collections::BTreeSet;

/// The names of the columns of tables that the column at a place of a relation is computed from, through projections, aliases, joins, unions and groupings.
pub(super) fn origins(plan: &LogicalPlan, place: usize) -> Result<BTreeSet<String>> {
    let (qualifier, field) = plan.schema().qualified_field(place);
    let own = Column::new(qualifier.cloned(), field.name());
    match plan {
        LogicalPlan::Projection(node) => of_expression(&node.input, node.expr.get(place)),
        LogicalPlan::SubqueryAlias(node) => origins(&node.input, place),
        LogicalPlan::Aggregate(node) => {
            of_expression(&node.input, node.group_expr.iter().chain(&node.aggr_expr).nth(place))
        }
        LogicalPlan::Window(node) => {
            let width = node.input.schema().fields().len();
            match place < width {
                true => origins(&node.input, place),
                false => of_expression(&node.input, node.window_expr.get(place - width)),
            }
        }
        LogicalPlan::Union(node) => {
            let parts = node.inputs.iter().map(|input| origins(input, place));
            Ok(parts.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        }
        LogicalPlan::TableScan(_) | LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => {
            Ok(BTreeSet::from([own.name]))
        }
        other => {
            // Filters, joins, sorts and our operators keep the names of what is below them.
            let mut found = BTreeSet::from([own.name.clone()]);
            for input in other.inputs() {
                if let Some(place) = input.schema().maybe_index_of_column(&own) {
                    found.extend(origins(input, place)?);
                }
            }
            Ok(found)
        }
    }
}

fn of_expression(input: &LogicalPlan, expr: Option<&Expr>) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let Some(expr) = expr else { return Ok(found) };
    for column in expr.column_refs() {
        match input.schema().maybe_index_of_column(column) {
            Some(place) => found.extend(origins(input, place)?),
            None => found.extend([column.name.clone()]),
        }
    }
    Ok(found)
}
