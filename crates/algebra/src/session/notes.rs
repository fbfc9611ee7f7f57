//! What a reader of the answer should know.

use super::{Settings, selection};
use crate::catalog::Catalog;
use crate::operator::{Distribution, Operator};
use datafusion::arrow::datatypes::Schema;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use paravent_pipeline::job::Role;

/// Remarks on the plan that ran and the columns that came out.
pub(super) fn of(
    plan: &LogicalPlan,
    result: &Schema,
    settings: &Settings,
    catalog: &Catalog,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let mut random = false;
    let mut operators = false;
    plan.apply(|node| {
        operators |= Operator::of(node).is_some();
        random |= matches!(Operator::of(node), Some(Operator::Slice(_) | Operator::Randomize(_)));
        if let Some(Operator::Randomize(randomize)) = Operator::of(node) {
            let learnt = randomize.what().noise.iter().filter(|(_, noise)| !noise.distribution.is_fixed());
            notes.extend(learnt.map(|(column, noise)| match noise.distribution {
                Distribution::Learnt => {
                    format!("The noise of {} is distributed like the column itself, so it tells how often each value occurs.", column.name)
                }
                _ => format!(
                    "The noise of {} is drawn from the values that occur in it, so it tells which do; name them with uniform('…', '…').",
                    column.name
                ),
            }));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if let (Some(seed), true) = (settings.seed, random) {
        notes.push(format!(
            "Drawn from seed {seed}: whoever knows it can undo the draw. Good for tests; a release is made without a seed."
        ));
    }
    notes.extend(selection::remarks(plan));
    if operators {
        let identifying = catalog.with_role(Role::Identifying);
        let shown = result.fields().iter().filter(|field| identifying.contains(&field.name().as_str()));
        notes.extend(shown.map(|field| format!("The result shows the identifying column {}.", field.name())));
    }
    Ok(notes)
}
