//! Running a plain plan, and putting a finished table into a plan.

use super::LowerError;
use crate::bounded;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::MemTable;
use datafusion::common::{Column, DFSchema};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::SessionContext;
use std::sync::Arc;

/// The rows of a plan, partition after partition.
pub(super) async fn collect(
    context: &SessionContext,
    plan: LogicalPlan,
) -> Result<Vec<RecordBatch>, LowerError> {
    Ok(bounded::collect(context, plan).await?)
}

/// The rows of a counting query, in any order.
pub(super) async fn collect_counts(
    context: &SessionContext,
    plan: LogicalPlan,
) -> Result<Vec<RecordBatch>, LowerError> {
    Ok(bounded::collect_counts(context, plan).await?)
}

/// The same, where the order of the rows matters.
pub(super) async fn collect_in_order(
    context: &SessionContext,
    plan: LogicalPlan,
) -> Result<Vec<RecordBatch>, LowerError> {
    Ok(bounded::collect_in_order(context, plan).await?)
}

/// A scan over rows in memory whose columns are called and qualified like those of `schema`.
pub(super) fn table(
    rows: Vec<RecordBatch>,
    schema: &DFSchema,
    name: &str,
) -> Result<LogicalPlan, LowerError> {
    // Two relations may have columns of the same name: inside the table they are numbered.
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(number, field)| Field::new(format!("c{number}"), field.data_type().clone(), true))
        .collect();
    let numbered = Arc::new(Schema::new(fields));
    let rows = rows
        .into_iter()
        .map(|batch| RecordBatch::try_new(Arc::clone(&numbered), batch.columns().to_vec()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| LowerError::Engine(error.into()))?;
    let table = MemTable::try_new(Arc::clone(&numbered), vec![rows])?;
    let scan = LogicalPlanBuilder::scan(name, provider_as_source(Arc::new(table)), None)?;
    let named = schema.iter().enumerate().map(|(number, (qualifier, field))| {
        let own = Expr::Column(Column::new(Some(name), format!("c{number}")));
        own.alias_qualified(qualifier.cloned(), field.name())
    });
    Ok(scan.project(named.collect::<Vec<_>>())?.build()?)
}

/// A column as text: how cells are compared with hierarchies.
pub(super) fn as_text(column: &Column) -> Expr {
    datafusion::logical_expr::cast(Expr::Column(column.clone()), DataType::Utf8)
}
