//! Randomisations that change nothing, and that a rule therefore removed: they give the cells away all the same.

use crate::error::AlgebraError;
use crate::lower::World;
use crate::operator::Operator;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// Asks the ledger for every randomisation with probability 0 that is in the plan as written and no longer in the one that runs. Those that still
/// are ask when they are drawn.
pub(super) fn ask(
    written: &LogicalPlan,
    running: &LogicalPlan,
    world: &World,
) -> std::result::Result<(), AlgebraError> {
    let found = |plan| unchanged(plan).map_err(|error| AlgebraError::running(&error));
    let (written, running) = (found(written)?, found(running)?);
    let mut book = world.ledger.lock().unwrap_or_else(PoisonError::into_inner);
    for (draw, columns) in written {
        if !running.contains_key(&draw) {
            let label = format!("randomize: {} 0", columns.join(" 0, "));
            let why = format!("with probability 0 the cells of {} stay as they are", columns.join(", "));
            book.unbounded(&label, &why).map_err(|error| AlgebraError::Ledger(Box::new(error)))?;
        }
    }
    Ok(())
}

/// By draw: the columns that stay as they are.
fn unchanged(plan: &LogicalPlan) -> Result<BTreeMap<u64, Vec<String>>> {
    let mut found = BTreeMap::new();
    plan.apply(|node| {
        if let Some(Operator::Randomize(node)) = Operator::of(node) {
            let zero =
                node.what().noise.iter().filter(|(_, noise)| noise.probability.value().numerator() == 0);
            let columns: Vec<String> = zero.map(|(column, _)| column.name.clone()).collect();
            if !columns.is_empty() {
                found.insert(node.what().draw.number(), columns);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}
