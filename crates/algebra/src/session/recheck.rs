//! What some rewrites owe: a look at the result before anybody sees it.

use crate::bounded::collect;
use crate::error::AlgebraError;
use crate::lower::{World, lower};
use crate::rules::{Demand, Recheck};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Column, Result};
use datafusion::functions_aggregate::expr_fn::{count, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, col, lit};

/// Runs the node that a rewrite has left in doubt and looks whether its rows keep what they must. Draws are the same as in the whole plan.
pub(super) async fn recheck(
    owed: &Recheck,
    plan: &LogicalPlan,
    world: &World,
) -> std::result::Result<(), AlgebraError> {
    let rule = owed.rule;
    let unknown = || {
        AlgebraError::statement(format!(
            "rule {rule} asks for a check of its result that is not possible here; leave it out: SET paravent.rules = '-{rule}'"
        ))
    };
    let (Demand::Generalization(what), Some(node)) = (&owed.demand, owed.node(plan)) else {
        return Err(unknown());
    };
    if !what.promise.is_k_anonymity_only() {
        return Err(unknown());
    }
    let lowered = lower(node.clone(), world).await?.plan;
    let Some(smallest) =
        smallest(lowered, &what.quasi, world).await.map_err(|error| AlgebraError::running(&error))?
    else {
        return Ok(());
    };
    match smallest >= i64::from(what.promise.k()) {
        true => Ok(()),
        false => Err(AlgebraError::NotKept(format!(
            "the result after rule {rule} does not keep {}; nothing is shown. Leave the rule out: SET paravent.rules = '-{rule}'",
            what.promise
        ))),
    }
}

/// No column is called that.
const ROWS: &str = "__paravent_rows";

/// Rows of the smallest class; none without rows.
async fn smallest(plan: LogicalPlan, quasi: &[Column], world: &World) -> Result<Option<i64>> {
    let keys: Vec<Expr> = quasi.iter().cloned().map(Expr::Column).collect();
    let none: Vec<Expr> = Vec::new();
    let plan = LogicalPlanBuilder::from(plan)
        .aggregate(keys, vec![count(lit(1_i64)).alias(ROWS)])?
        .aggregate(none, vec![min(col(ROWS))])?
        .build()?;
    let batches = collect(&world.context, plan).await?;
    let cell = batches.iter().find(|batch| batch.num_rows() == 1).map(|batch| batch.column(0).clone());
    Ok(cell
        .filter(|cell| cell.is_valid(0))
        .and_then(|cell| Some(cell.as_primitive_opt::<Int64Type>()?.value(0))))
}
