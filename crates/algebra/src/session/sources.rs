//! Relations of documents have no rows of their own; these are the rows of the session's tables.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DataFusionError, Result, TableReference};
use datafusion::datasource::{TableProvider, provider_as_source, source_as_provider};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, LogicalPlanBuilder, TableScan};
use datafusion::prelude::SessionContext;
use std::collections::HashMap;
use std::sync::Arc;

/// The relation with every base that has no rows replaced by the table of its name: the same columns, in the types of the document. An
/// error where there is no such table.
pub(super) async fn with_rows(relation: LogicalPlan, context: &SessionContext) -> Result<LogicalPlan> {
    let mut bare: Vec<TableReference> = Vec::new();
    relation.apply(|node| {
        match node {
            LogicalPlan::TableScan(scan) if is_bare(scan) && !bare.contains(&scan.table_name) => {
                bare.push(scan.table_name.clone());
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if bare.is_empty() {
        return Ok(relation);
    }
    let mut tables: HashMap<TableReference, Arc<dyn TableProvider>> = HashMap::new();
    for name in bare {
        let table = match context.table_provider(name.clone()).await {
            Ok(table) => table,
            Err(_) => context.table_provider(TableReference::bare(name.table().to_lowercase())).await?,
        };
        tables.insert(name, table);
    }
    let sourced = relation.transform_up(|node| match &node {
        LogicalPlan::TableScan(scan) if is_bare(scan) => match tables.get(&scan.table_name) {
            Some(table) => Ok(Transformed::yes(columns_of(scan, table)?)),
            None => Err(DataFusionError::Plan(format!("there is no table {}", scan.table_name))),
        },
        _ => Ok(Transformed::no(node)),
    })?;
    Ok(sourced.data)
}

fn is_bare(scan: &TableScan) -> bool {
    source_as_provider(&scan.source).is_err()
}

fn columns_of(scan: &TableScan, table: &Arc<dyn TableProvider>) -> Result<LogicalPlan> {
    let name = scan.table_name.clone();
    let columns = scan.projected_schema.fields().iter().map(|field| {
        let column = Expr::Column(Column::new(Some(name.clone()), field.name()));
        Expr::Cast(Cast::new(Box::new(column), field.data_type().clone()))
            .alias_qualified(Some(name.clone()), field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::scan(name.clone(), provider_as_source(Arc::clone(table)), None)?
        .project(columns)?
        .build()
}
