//! What may stand beside `private`: nothing that is exact about people.
//!
//! A statement says which ε its answer costs. A table that is read as it is beside the noisy figures (in a join, a union, a subquery) would tell
//! exactly what they hide, and the ε would be untrue. So every table about people stands below an operator there. A table about nobody, which
//! has no column that the job protects, may be joined to the figures: the names of wards, say.

use super::Unit;
use crate::catalog::Catalog;
use crate::operator::Operator;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::{LogicalPlan, TableScan};
use paravent_job::Role;

/// Refuses a statement with `private` that reads a table about people as it is.
pub(super) fn check(plan: &LogicalPlan, catalog: &Catalog) -> Result<()> {
    let (mut noisy, mut bare) = (false, None);
    plan.apply_with_subqueries(|node| {
        if let Some(operator) = Operator::of(node) {
            noisy |= matches!(operator, Operator::Private(_));
            return Ok(TreeNodeRecursion::Jump);
        }
        if let LogicalPlan::TableScan(scan) = node
            && bare.is_none()
            && is_about_people(scan, catalog)
        {
            bare = Some(scan.table_name.table().to_owned());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    match bare {
        Some(table) if noisy => Err(DataFusionError::Plan(format!(
            "private: the table {table} is read as it is beside it, and exact figures beside noisy ones would make the ε untrue; \
             ask for them in a statement of their own, or put the table below an operator"
        ))),
        _ => Ok(()),
    }
}

/// Without a job nothing is known of a table, so it is about people.
fn is_about_people(scan: &TableScan, catalog: &Catalog) -> bool {
    let generated = scan.table_name.table().ends_with("()");
    if generated || scan.table_name.schema() == Some("information_schema") {
        return false;
    }
    let unit = Unit::of(catalog);
    let protected = |column: &str| match catalog.attribute(column) {
        Some(attribute) => attribute.role != Role::Insensitive,
        None => unit.columns().iter().any(|person| person == column),
    };
    catalog.job().is_none() || scan.source.schema().fields().iter().any(|field| protected(field.name()))
}
