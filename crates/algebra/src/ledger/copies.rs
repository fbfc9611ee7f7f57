//! In how many rows of a relation one cell of a table can stand: every one of them is drawn for by itself.
//!
//! A union of a table with itself, a join that finds several partners, or a constant beside every row multiplies a cell, and randomised response on
//! all of its copies tells as much as so many draws. The bound is read off the plan; whether a join finds one partner at most is asked of the
//! data. Where there is no bound, nobody can say what the noise costs.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::functions_aggregate::expr_fn::{count, max};
use datafusion::logical_expr::{Distinct, Expr, Join, LogicalPlan, LogicalPlanBuilder, TableScan, lit};
use datafusion::prelude::SessionContext;
use futures::future::{BoxFuture, FutureExt};
use std::sync::Arc;

use crate::bounded::collect;

/// The most rows of the relation in which cells of one person that the column is made of can stand; `None` where no number bounds it. `person`: the
/// columns that say whose row of a table it is; without them every row is somebody's. How many rows of a table one person has at most is asked of the whole
/// table, never of a selection: the charge would count it.
pub(crate) async fn copies(
    relation: &LogicalPlan,
    column: &Column,
    person: &[String],
    context: &SessionContext,
) -> Result<Option<u64>> {
    let place = relation.schema().index_of_column(column)?;
    // Conditions find their joins, and subqueries become some.
    let relation = context.state().optimize(relation)?;
    of(&relation, place, &Asked { person, context }).await
}

/// What the data is asked with.
struct Asked<'a> {
    person: &'a [String],
    context: &'a SessionContext,
}

fn of<'a>(plan: &'a LogicalPlan, place: usize, asked: &'a Asked<'a>) -> BoxFuture<'a, Result<Option<u64>>> {
    async move {
        match plan {
            LogicalPlan::TableScan(scan) => most_rows(scan, asked).await.map(Some),
            LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => Ok(Some(1)),
            LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Repartition(_)
            | LogicalPlan::Distinct(Distinct::All(_)) => of(plan.inputs()[0], place, asked).await,
            LogicalPlan::Projection(node) => of_expression(&node.expr, place, &node.input, asked).await,
            LogicalPlan::Distinct(Distinct::On(node)) => {
                of_expression(&node.select_expr, place, &node.input, asked).await
            }
            LogicalPlan::Aggregate(node) => {
                if node.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
                    return Ok(None);
                }
                let all: Vec<Expr> = node.group_expr.iter().chain(&node.aggr_expr).cloned().collect();
                of_expression(&all, place, &node.input, asked).await
            }
            LogicalPlan::Window(node) if place < node.input.schema().fields().len() => {
                of(&node.input, place, asked).await
            }
            LogicalPlan::Union(node) => {
                let mut sum = Some(0u64);
                for input in &node.inputs {
                    let part = of(input, place, asked).await?;
                    sum = sum.zip(part).and_then(|(sum, part)| sum.checked_add(part));
                }
                Ok(sum)
            }
            LogicalPlan::Join(join) => of_join(join, place, asked).await,
            _ => Ok(None),
        }
    }
    .boxed()
}

/// The most of all cells that an expression reads.
async fn of_expression(
    expressions: &[Expr],
    place: usize,
    input: &LogicalPlan,
    asked: &Asked<'_>,
) -> Result<Option<u64>> {
    let Some(expression) = expressions.get(place) else { return Ok(None) };
    let foreign = |expr: &Expr| {
        matches!(
            expr,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Unnest(_)
                | Expr::WindowFunction(_)
        )
    };
    if datafusion::common::tree_node::TreeNode::exists(expression, |expr| Ok(foreign(expr)))? {
        return Ok(None);
    }
    let mut most = Some(1);
    for column in expression.column_refs() {
        let here = of(input, input.schema().index_of_column(column)?, asked).await?;
        most = most.zip(here).map(|(most, here)| most.max(here));
    }
    Ok(most)
}

async fn of_join(join: &Join, place: usize, asked: &Asked<'_>) -> Result<Option<u64>> {
    let left_fields = match join.join_type {
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => 0,
        _ => join.left.schema().fields().len(),
    };
    let (own, other, keys): (_, _, Vec<Expr>) = match place < left_fields {
        true => (
            of(&join.left, place, asked).await?,
            &join.right,
            join.on.iter().map(|on| on.1.clone()).collect(),
        ),
        false if place - left_fields < join.right.schema().fields().len() => (
            of(&join.right, place - left_fields, asked).await?,
            &join.left,
            join.on.iter().map(|on| on.0.clone()).collect(),
        ),
        // The mark of a mark join.
        false => return Ok(None),
    };
    let one_partner = match join.join_type {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
            is_one_row(other)
                || (!keys.is_empty() && is_unique(other, keys, join.null_equality, asked.context).await?)
        }
        _ => true,
    };
    Ok(own.filter(|_| one_partner))
}

/// The most rows that one person has in a table; 1 where nobody said whose rows they are. Rows without a person are nobody's.
async fn most_rows(scan: &TableScan, asked: &Asked<'_>) -> Result<u64> {
    let schema = scan.source.schema();
    let has_all = asked.person.iter().all(|name| schema.column_with_name(name).is_some());
    if asked.person.is_empty() || !has_all {
        return Ok(1);
    }
    let table = LogicalPlanBuilder::scan(scan.table_name.clone(), Arc::clone(&scan.source), None)?;
    let person = |name: &String| Expr::Column(Column::new(Some(scan.table_name.clone()), name));
    let key: Vec<Expr> = asked.person.iter().map(person).collect();
    let there = key.iter().cloned().map(Expr::is_not_null).reduce(Expr::and);
    let table = match there {
        Some(there) => table.filter(there)?,
        None => table,
    };
    let none: Vec<Expr> = Vec::new();
    let rows = Expr::Column(Column::new_unqualified("__paravent_rows"));
    let plan = table
        .aggregate(key, vec![count(lit(1_i64)).alias("__paravent_rows")])?
        .aggregate(none, vec![max(rows)])?
        .build()?;
    let batches = collect(asked.context, plan).await?;
    let most = batches.iter().find(|batch| batch.num_rows() == 1).map(|batch| batch.column(0));
    let most = most.and_then(|most| most.as_primitive_opt::<Int64Type>()).map_or(1, |most| most.value(0));
    Ok(u64::try_from(most).unwrap_or(1).max(1))
}

/// An aggregate without groups has one row, whatever the data.
fn is_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(node) => node.group_expr.is_empty(),
        LogicalPlan::Projection(node) => is_one_row(&node.input),
        LogicalPlan::SubqueryAlias(node) => is_one_row(&node.input),
        LogicalPlan::EmptyRelation(node) => node.produce_one_row,
        LogicalPlan::Values(node) => node.values.len() <= 1,
        _ => false,
    }
}

/// Whether no two rows agree on all keys. Rows without a key find no partner, unless the join says that missing values are equal.
async fn is_unique(
    relation: &LogicalPlan,
    keys: Vec<Expr>,
    missing: NullEquality,
    context: &SessionContext,
) -> Result<bool> {
    let there = keys.iter().cloned().map(Expr::is_not_null).reduce(Expr::and);
    let there = there.filter(|_| missing == NullEquality::NullEqualsNothing);
    let keys = keys.into_iter().enumerate().map(|(number, key)| key.alias(format!("key_{number}")));
    let mut all = LogicalPlanBuilder::from(relation.clone());
    if let Some(there) = there {
        all = all.filter(there)?;
    }
    let all = all.project(keys.collect::<Vec<_>>())?;
    let different = all.clone().distinct()?;
    Ok(rows(all, context).await? == rows(different, context).await?)
}

async fn rows(relation: LogicalPlanBuilder, context: &SessionContext) -> Result<i64> {
    let none: Vec<Expr> = Vec::new();
    let plan = relation.aggregate(none, vec![count(lit(1_i64))])?.build()?;
    let batches = collect(context, plan).await?;
    let number = batches.iter().find(|batch| batch.num_rows() == 1).map(|batch| batch.column(0));
    Ok(number.and_then(|number| number.as_primitive_opt::<Int64Type>()).map_or(-1, |number| number.value(0)))
}
