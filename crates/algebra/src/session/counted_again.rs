//! Rows that were picked after a generalization, counted again before anybody sees them.

use super::selection::Late;
use crate::bounded::collect;
use crate::error::AlgebraError;
use crate::lower::{World, lower};
use crate::operator::Operator;
use crate::origin::{Shown, flow};
use crate::whose::{People, by_name, carried};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Field, Int64Type, Schema};
use datafusion::catalog::MemTable;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::datasource::provider_as_source;
use datafusion::functions_aggregate::expr_fn::{count_distinct, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableScan, col};
use std::sync::Arc;

/// What the rows of the generalization are called while they are counted.
const ROWS: &str = "__paravent_generalized";
/// How many of them a class has.
const NUMBER: &str = "__paravent_number";

/// Refuses an answer whose classes have fewer rows of the generalization than it promised, because the query picked among them. No number is told.
pub(super) async fn count(late: &Late<'_>, world: &World) -> std::result::Result<(), AlgebraError> {
    let promise = &late.what.promise;
    let inside = "pick inside the parentheses: generalize((SELECT … WHERE …), …)";
    // A group of whole classes has enough rows; another may have one.
    let whole = labels(late).map_err(|error| AlgebraError::running(&error))?.len() == late.shown.len();
    if late.picks_groups() && !whole {
        return Err(AlgebraError::NotKept(format!(
            "groups are picked after generalize ({promise}), by HAVING, WHERE, a join or LIMIT, and they are not groups of its labels alone: one may stand for \
             few people. Show all groups, group by labels, or {inside}"
        )));
    }
    let Some(how) = late.how() else { return Ok(()) };
    let drawn = late.top.exists(|node| {
        Ok(matches!(
            Operator::of(node),
            Some(Operator::Randomize(_) | Operator::Private(_) | Operator::Slice(_))
        ))
    });
    if !promise.is_k_anonymity_only() || drawn.unwrap_or(true) {
        return Err(AlgebraError::NotKept(format!(
            "rows are picked {how} after generalize ({promise}), and what is left cannot be checked again; {inside}"
        )));
    }
    let smallest = smallest(late, world).await?;
    match smallest.is_none_or(|smallest| smallest >= i64::from(promise.k())) {
        true => Ok(()),
        false => Err(AlgebraError::NotKept(format!(
            "rows are picked {how} after generalize ({promise}), and what is left does not keep the promise; nothing is shown. To have it for what is \
             shown, {inside}"
        ))),
    }
}

/// Rows of the generalization in the smallest class that is shown; none without rows.
async fn smallest(late: &Late<'_>, world: &World) -> std::result::Result<Option<i64>, AlgebraError> {
    let running = |error| AlgebraError::running(&error);
    let lowered = lower(late.node.clone(), world).await?.plan;
    let batches = collect(&world.context, lowered).await.map_err(running)?;
    let rows = as_table(late.node, batches).map_err(running)?;
    let replaced = late.top.clone().transform_down(|node| match node == *late.node {
        true => Ok(Transformed::yes(rows.clone())),
        false => Ok(Transformed::no(node)),
    });
    // Another generalization beside it stays one.
    let top = lower(replaced.map_err(running)?.data, world).await?.plan;
    let columns = late.top.schema().columns();
    let labels = labels(late).map_err(running)?;
    let Some(carried) = carried(&top, &Generalized).map_err(running)? else {
        return Err(AlgebraError::NotKept(
            "rows are picked after generalize in a way that cannot be followed; pick inside the parentheses"
                .to_owned(),
        ));
    };
    let mut least: Option<i64> = None;
    for name in &carried.names {
        let classes: Vec<Expr> = labels.iter().map(|&place| Expr::Column(columns[place].clone())).collect();
        let one = smallest_of(carried.plan.clone(), classes, name, world).await.map_err(running)?;
        least = [least, one].into_iter().flatten().min();
    }
    Ok(least)
}

/// Rows that a table has already, in the columns of the node that made them.
fn as_table(node: &LogicalPlan, batches: Vec<RecordBatch>) -> Result<LogicalPlan> {
    let fields = node.schema().fields().iter().enumerate();
    let schema = Arc::new(Schema::new(
        fields
            .map(|(place, field)| Field::new(format!("c{place}"), field.data_type().clone(), true))
            .collect::<Vec<_>>(),
    ));
    let renamed = batches.into_iter().map(|batch| {
        let cast = batch
            .columns()
            .iter()
            .zip(schema.fields())
            .map(|(column, field)| datafusion::arrow::compute::cast(column, field.data_type()));
        let columns = cast.collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    });
    let table = MemTable::try_new(Arc::clone(&schema), vec![renamed.collect::<Result<Vec<_>>>()?])?;
    let scan = LogicalPlanBuilder::scan(ROWS, provider_as_source(Arc::new(table)), None)?;
    let own = node.schema().iter().enumerate().map(|(place, (qualifier, field))| {
        Expr::Column(Column::new(Some(ROWS), format!("c{place}")))
            .alias_qualified(qualifier.cloned(), field.name())
    });
    scan.project(own)?.build()
}

/// The shown columns that tell a label, by their places.
pub(super) fn labels(late: &Late<'_>) -> Result<Vec<usize>> {
    let told = flow(late.top)?.columns;
    let tells = |place: &&usize| {
        told.get(**place)
            .is_some_and(|origins| origins.iter().any(|origin| origin.shown == Shown::Generalized))
    };
    Ok(late.shown.iter().filter(tells).copied().collect())
}

async fn smallest_of(
    plan: LogicalPlan,
    classes: Vec<Expr>,
    name: &str,
    world: &World,
) -> Result<Option<i64>> {
    let person = by_name(&plan, name);
    let none: Vec<Expr> = Vec::new();
    let plan = LogicalPlanBuilder::from(plan)
        .filter(person.clone().is_not_null())?
        .aggregate(classes, vec![count_distinct(person).alias(NUMBER)])?
        .filter(col(NUMBER).gt(datafusion::logical_expr::lit(0_i64)))?
        .aggregate(none, vec![min(col(NUMBER))])?
        .build()?;
    let batches = collect(&world.context, plan).await?;
    let cell = batches.iter().find(|batch| batch.num_rows() == 1).map(|batch| batch.column(0).clone());
    Ok(cell
        .filter(|cell| cell.is_valid(0))
        .and_then(|cell| Some(cell.as_primitive_opt::<Int64Type>()?.value(0))))
}

/// Every row of the generalization is one.
struct Generalized;

impl People for Generalized {
    fn tables(&self, part: &LogicalPlan) -> Vec<String> {
        let has = part.exists(|node| {
            Ok(matches!(node, LogicalPlan::TableScan(scan) if scan.table_name.table() == ROWS))
        });
        if has.unwrap_or(true) { vec![ROWS.to_owned()] } else { Vec::new() }
    }

    fn person(&self, _scan: &TableScan) -> Option<Vec<Column>> {
        None
    }
}
