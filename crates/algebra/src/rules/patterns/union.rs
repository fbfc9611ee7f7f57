//! ∪, of bags and of sets.

use datafusion::common::DFSchema;
use datafusion::logical_expr::{Distinct, LogicalPlan, Union};
use std::sync::Arc;

/// ∪ of bags: `None` where there is none, the reason where it is not one over bags, or mixes types.
pub(in crate::rules) fn bag_union(plan: &LogicalPlan) -> Option<Result<&Union, String>> {
    match plan {
        LogicalPlan::Union(union) => {
            let types = |schema: &DFSchema| {
                schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>()
            };
            let expected = types(&union.schema);
            match union.inputs.iter().all(|input| types(input.schema()) == expected) {
                true => Some(Ok(union)),
                false => Some(Err("the parts of the union have different types".to_owned())),
            }
        }
        LogicalPlan::Distinct(Distinct::All(input)) if matches!(**input, LogicalPlan::Union(_)) => {
            Some(Err("the union drops duplicates; the rule holds for UNION ALL only".to_owned()))
        }
        _ => None,
    }
}

/// The parts of ∪, of bags or of sets.
pub(in crate::rules) fn union_parts(plan: &LogicalPlan) -> Option<&[Arc<LogicalPlan>]> {
    match plan {
        LogicalPlan::Union(union) => Some(&union.inputs),
        LogicalPlan::Distinct(distinct) => match &**distinct.input() {
            LogicalPlan::Union(union) => Some(&union.inputs),
            _ => None,
        },
        _ => None,
    }
}

/// The same union of other parts with the same schemas.
pub(in crate::rules) fn union_of(union: &Union, parts: Vec<LogicalPlan>) -> LogicalPlan {
    let inputs = parts.into_iter().map(Arc::new).collect();
    LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) })
}
