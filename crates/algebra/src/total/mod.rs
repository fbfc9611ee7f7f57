//! Expressions below a protecting operator: none of them can fail, whatever is in a row.
//!
//! A query that fails exactly if one person has a certain disease tells that person's disease, however well the answer is protected. So
//! everything below `private`, `generalize`, `slice` and `randomize` is made *total*: a division by zero, a number that is too large and a
//! text that cannot be read as a number give NULL. What is not on the lists of `functions.rs` is refused, by name, before a row is read.
//! Total expressions may be reordered and folded by the optimizer as it likes: there is no error whose time could matter.

mod functions;
mod rewrite;
mod step;

use crate::operator::Operator;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;

/// The plan with every relation that stands below an operator made total. The error says what is not on the lists.
pub fn below_operators(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    if !Operator::is_in(&plan)? {
        return Ok(plan);
    }
    let rewritten = plan.transform_down(|node| {
        let Some(operator) = Operator::of(&node) else { return Ok(Transformed::no(node)) };
        let name = name_of(operator);
        let Some(input) = relation(operator.input(), name, state)? else {
            return Ok(Transformed::new(node, false, TreeNodeRecursion::Jump));
        };
        let above = node.with_new_exprs(node.expressions(), vec![input])?;
        Ok(Transformed::new(above, true, TreeNodeRecursion::Jump))
    })?;
    match rewritten.transformed {
        // What was never missing may be so now: the plan above has to know.
        true => Ok(rewritten.data.transform_up(|node| Ok(Transformed::yes(node.recompute_schema()?)))?.data),
        false => Ok(rewritten.data),
    }
}

/// The relation made total; none where it is total as it stands. Types must be settled first: a comparison of a text with a number holds
/// a hidden CAST.
pub fn relation(plan: &LogicalPlan, operator: &str, state: &SessionState) -> Result<Option<LogicalPlan>> {
    let analyzed =
        state.analyzer().execute_and_check(plan.clone(), state.config_options().as_ref(), |_, _| {})?;
    let total = analyzed.transform_up_with_subqueries(|node| rewrite::node(node, operator))?;
    Ok(total.transformed.then_some(total.data))
}

fn name_of(operator: Operator<'_>) -> &'static str {
    match operator {
        Operator::Generalize(_) => "generalize",
        Operator::Slice(_) => "slice",
        Operator::Randomize(_) => "randomize",
        Operator::Private(_) => "private",
    }
}

fn refused(operator: &str, what: impl std::fmt::Display, why: &str) -> DataFusionError {
    DataFusionError::Plan(format!("{operator}: {what} is not possible below it: {why}"))
}
