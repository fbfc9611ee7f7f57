//! From operators to plain plans: what remains has only π, σ, ∪, ⋈ and scans, so any engine can run it.
//!
//! α^G becomes a frequency query, a search, and a recoding join. α^S and α^D are drawn once, at this point, and what they drew is a table of the plan:
//! however often the engine evaluates, merges or copies parts of the plan afterwards, there is one draw.

mod account;
mod error;
mod gather;
mod generalize;
mod lineage;
mod recode;

pub use account::{Account, GeneralizeAccount, Level};
pub use error::LowerError;

use crate::catalog::Catalog;
use crate::operator::Operator;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use futures::future::{BoxFuture, FutureExt};
use lineage::Lineage;
use std::collections::BTreeMap;

/// What lowering needs around it.
pub struct World {
    /// Runs plain plans.
    pub context: SessionContext,
    /// Roles and hierarchies.
    pub catalog: Catalog,
}

/// A plan without operators.
#[derive(Debug)]
pub struct Lowered {
    /// The plain plan.
    pub plan: LogicalPlan,
    /// What each operator did, innermost first.
    pub accounts: Vec<Account>,
}

/// Replaces every operator of a plan by what it stands for, from the leaves up. Queries the data where an operator depends on it.
pub async fn lower(plan: LogicalPlan, world: &World) -> Result<Lowered, LowerError> {
    let mut lowering = Lowering { world, accounts: Vec::new(), lineage: BTreeMap::new() };
    let plan = lowering.node(plan).await?;
    if has_operator(&plan)? {
        return Err(LowerError::InsideExpression);
    }
    Ok(Lowered { plan, accounts: lowering.accounts })
}

/// Whether one of our operators is anywhere in a plan, its subqueries included.
pub fn has_operator(plan: &LogicalPlan) -> Result<bool, LowerError> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        found |= Operator::of(node).is_some();
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

/// A lowering under way.
struct Lowering<'a> {
    world: &'a World,
    accounts: Vec<Account>,
    /// By column name: what is known about labels that inner operators made.
    lineage: BTreeMap<String, Lineage>,
}

impl Lowering<'_> {
    fn node(&mut self, plan: LogicalPlan) -> BoxFuture<'_, Result<LogicalPlan, LowerError>> {
        async move {
            if !has_operator_below(&plan)? {
                return Ok(plan);
            }
            let mut inputs = Vec::new();
            for input in plan.inputs() {
                inputs.push(self.node(input.clone()).await?);
            }
            match (Operator::of(&plan), inputs.pop()) {
                (Some(Operator::Generalize(node)), Some(input)) => self.generalize(node, input).await,
                (_, last) => {
                    inputs.extend(last);
                    Ok(plan.with_new_exprs(plan.expressions(), inputs)?)
                }
            }
        }
        .boxed()
    }
}

/// Whether lowering has anything to do here. Operators inside expressions are refused at the end.
fn has_operator_below(plan: &LogicalPlan) -> Result<bool, LowerError> {
    Ok(plan.exists(|node| Ok(Operator::of(node).is_some()))?)
}
