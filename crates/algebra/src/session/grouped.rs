//! Rows of an answer that stand for groups of rows: whom do the exact cells single out that the groups are made by?
//!
//! A group of one tells as much as a row does. The rows that were grouped are counted once more by the same cells, and no number of them is in
//! the answer: what is found stays with whoever releases it.

use super::answer::GroupedRows;
use crate::bounded::collect;
use crate::error::AlgebraError;
use crate::lower::{World, lower};
use crate::operator::Operator;
use crate::origin::{Origin, Shown, flow};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, Result};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, LogicalPlanBuilder, lit, when};
use std::collections::BTreeSet;

/// What a key is called while rows are counted.
const KEY: &str = "__paravent_key";
/// How many rows have the same keys.
const ROWS: &str = "__paravent_rows";

/// Counts the rows below the topmost grouping by the exact cells that the answer shows; `None` where the answer's rows are not groups, or shows no
/// exact cell. Nothing is drawn twice: plans with noise or slices are left to whoever counts the rows of the answer.
pub(super) async fn grouped(
    plan: &LogicalPlan,
    world: &World,
) -> std::result::Result<Option<GroupedRows>, AlgebraError> {
    let running = |error| AlgebraError::running(&error);
    let drawn = plan.exists(|node| {
        Ok(matches!(
            Operator::of(node),
            Some(Operator::Randomize(_) | Operator::Private(_) | Operator::Slice(_))
        ))
    });
    let Some((input, keys)) = topmost(plan).filter(|_| !drawn.unwrap_or(true)) else { return Ok(None) };
    let shown: BTreeSet<Origin> = flow(plan)
        .map_err(running)?
        .columns
        .into_iter()
        .flatten()
        .filter(|origin| origin.shown == Shown::Exactly)
        .collect();
    let mut exact: Vec<Expr> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let below = flow(input).map_err(running)?.columns;
    for key in keys {
        let read =
            key.column_refs().into_iter().filter_map(|column| input.schema().maybe_index_of_column(column));
        let mut origins = read.filter_map(|place| below.get(place)).flatten();
        if origins.any(|origin| shown.contains(origin)) {
            names.push(name_of(&key));
            exact.push(key);
        }
    }
    if exact.is_empty() {
        return Ok(None);
    }
    let lowered = lower(input.clone(), world).await?.plan;
    let named = exact.into_iter().enumerate().map(|(place, key)| key.alias(format!("{KEY}{place}")));
    let relation = LogicalPlanBuilder::from(lowered).project(named).and_then(LogicalPlanBuilder::build);
    let relation = relation.map_err(running)?;
    let all: Vec<usize> = (0..names.len()).collect();
    let (singled_out, people) = alone(&relation, &all, world).await.map_err(running)?;
    let mut columns = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        columns.push((name, alone(&relation, &[place], world).await.map_err(running)?.0));
    }
    Ok(Some(GroupedRows { people, singled_out, columns }))
}

/// A column by its own name, anything else as it is written.
fn name_of(key: &Expr) -> String {
    match key {
        Expr::Column(column) => column.name.clone(),
        other => other.schema_name().to_string(),
    }
}

/// The topmost grouping that makes the rows of the answer: its input, and what it groups by.
fn topmost(plan: &LogicalPlan) -> Option<(&LogicalPlan, Vec<Expr>)> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let sets = aggregate.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_)));
            (!sets).then(|| (aggregate.input.as_ref(), aggregate.group_expr.clone()))
        }
        LogicalPlan::Distinct(Distinct::All(input)) => {
            Some((input, input.schema().columns().into_iter().map(Expr::Column).collect()))
        }
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::SubqueryAlias(_) => plan.inputs().first().and_then(|input| topmost(input)),
        _ => None,
    }
}

/// Rows that are alone with their keys, and all rows.
async fn alone(relation: &LogicalPlan, keys: &[usize], world: &World) -> Result<(u64, u64)> {
    let by: Vec<Expr> =
        keys.iter().map(|place| Expr::Column(Column::new_unqualified(format!("{KEY}{place}")))).collect();
    let rows = || Expr::Column(Column::new_unqualified(ROWS));
    let alone = when(rows().eq(lit(1_i64)), lit(1_i64)).otherwise(lit(0_i64))?;
    let none: Vec<Expr> = Vec::new();
    let plan = LogicalPlanBuilder::from(relation.clone())
        .aggregate(by, vec![count(lit(1_i64)).alias(ROWS)])?
        .aggregate(none, vec![sum(alone), sum(rows())])?
        .build()?;
    let batches = collect(&world.context, plan).await?;
    let figure = |place: usize| {
        let batch = batches.iter().find(|batch| batch.num_rows() == 1)?;
        let cell = batch.column(place).as_primitive_opt::<Int64Type>()?;
        u64::try_from(cell.value(0)).ok()
    };
    Ok((figure(0).unwrap_or(0), figure(1).unwrap_or(0)))
}
