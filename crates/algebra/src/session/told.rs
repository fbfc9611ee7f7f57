//! What a release of an answer would say.

use super::answer::{ShownPromise, Told};
use super::counted_again::labels;
use super::selection::late;
use crate::origin::{Shown, flow};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;

/// Read off the plan that runs.
pub(super) fn told(plan: &LogicalPlan) -> Result<Told> {
    let columns = flow(plan)?.columns.into_iter().map(|origins| {
        // What is least protected decides.
        let order = [Shown::Exactly, Shown::Sliced, Shown::Redrawn, Shown::Generalized, Shown::Grouped];
        order.into_iter().find(|shown| origins.iter().any(|origin| origin.shown == *shown))
    });
    let columns = columns.collect();
    let mut promises = Vec::new();
    for late in late(plan) {
        // Rows of the answer are rows of the generalization only where nothing groups them.
        if std::ptr::eq(late.top, plan) {
            promises.push(ShownPromise { labels: labels(&late)?, promise: late.what.promise.clone() });
        }
    }
    let mut tables: Vec<String> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            tables.push(scan.table_name.table().to_owned());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    tables.sort_unstable();
    tables.dedup();
    Ok(Told { columns, promises, tables, grouped: None })
}
