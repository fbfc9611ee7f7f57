//! α^G at the root of a plan, once or twice.

use crate::operator::{Generalization, Generalize, Operator, Promise};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// α^G and the relation it works on.
pub(in crate::rules) fn generalized(plan: &LogicalPlan) -> Option<(&Generalization, &LogicalPlan)> {
    match Operator::of(plan)? {
        Operator::Generalize(node) => Some((node.what(), node.input())),
        Operator::Slice(_) | Operator::Randomize(_) | Operator::Private(_) => None,
    }
}

/// α^G over α^G: the outer one, the inner one, and the relation.
pub(in crate::rules) fn stacked(
    plan: &LogicalPlan,
) -> Option<(&Generalization, &Generalization, &LogicalPlan)> {
    let (outer, below) = generalized(plan)?;
    let (inner, relation) = generalized(below)?;
    Some((outer, inner, relation))
}

/// α^G_[X, promise] over a relation.
pub(in crate::rules) fn generalize(
    input: LogicalPlan,
    quasi: &[Column],
    promise: &Promise,
) -> Result<LogicalPlan> {
    Generalize::plan(input, quasi.to_vec(), promise.clone())
}
