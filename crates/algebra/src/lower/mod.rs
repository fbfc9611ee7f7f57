//! From operators to plain plans: what remains has only π, σ, ∪, ⋈ and scans, so any engine can run it.
//!
//! α^G becomes a frequency query, a search, and a recoding join. α^S and α^D are drawn once, at this point, and what they drew is a table of the plan:
//! however often the engine evaluates, merges or copies parts of the plan afterwards, there is one draw.

mod account;
mod boxes;
mod code;
mod error;
mod figures;
mod gather;
mod generalize;
mod key;
mod lineage;
mod plain_slice;
mod private;
mod randomize;
mod recode;
mod released;
mod response;
mod slice;
mod utility;

pub use account::{
    Account, Charge, GeneralizeAccount, Level, NoisyColumn, NoisyFigure, PrivateAccount, RandomizeAccount,
    SliceAccount, ValueEstimate,
};
pub use error::LowerError;
pub(crate) use figures::GroupKey;
pub use key::Key;
pub use plain_slice::{Ranked, plain_slice};
pub use private::{Drawn, Truth};
pub use utility::{Change, Compare, DependencyFigures, NumericFigures, PairFigures, SliceUtility};

use crate::catalog::Catalog;
use crate::ledger::Book;
use crate::operator::Operator;
use crate::{total, tracking};
use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use futures::future::{BoxFuture, FutureExt};
use lineage::Lineage;
use paravent_slicing::RowOrder;
use std::sync::Mutex;

/// What lowering needs around it.
pub struct World {
    /// Runs plain plans.
    pub context: SessionContext,
    /// Roles and hierarchies.
    pub catalog: Catalog,
    /// Where random operators draw from.
    pub key: Key,
    /// What noisy answers may still cost, all queries together.
    pub ledger: Mutex<Book>,
    /// Whether slicings say what they kept.
    pub compare: Compare,
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
    // Whoever built the plan: what stands below an operator cannot fail, and below `private` it is about people.
    let plan = total::below_operators(plan, &world.context.state()).map_err(LowerError::refused)?;
    tracking::check(&plan, &world.catalog).map_err(LowerError::refused)?;
    let released = released::whole(&plan)?;
    let mut lowering =
        Lowering { world, accounts: Vec::new(), decided: Vec::new(), drawn: Vec::new(), released };
    let plan = lowering.node(plan, RowOrder::Random).await?;
    if Operator::is_in(&plan)? {
        return Err(LowerError::InsideExpression);
    }
    Ok(Lowered { plan, accounts: lowering.accounts })
}

/// A lowering under way.
struct Lowering<'a> {
    world: &'a World,
    accounts: Vec<Account>,
    /// Generalizations that were decided, and the labels that each of their columns has got.
    decided: Vec<(LogicalPlan, Vec<Lineage>)>,
    /// Random operators that were drawn, and what they became: a copy of one is the same draw.
    drawn: Vec<(LogicalPlan, LogicalPlan)>,
    /// The draws whose rows the answer shows, all of them: their numbers are no secret.
    released: Vec<u64>,
}

impl Lowering<'_> {
    /// `order` is what a slicing at this place does with its rows.
    fn node(&mut self, plan: LogicalPlan, order: RowOrder) -> BoxFuture<'_, Result<LogicalPlan, LowerError>> {
        async move {
            if !has_operator_below(&plan)? {
                return Ok(plan);
            }
            if let Some((_, lowered)) = self.drawn.iter().find(|(drawn, _)| *drawn == plan) {
                return Ok(lowered.clone());
            }
            let operator = Operator::of(&plan);
            let order_below = match (&plan, operator) {
                // The buckets of the outer slicing are made of the rank of the inner one.
                (_, Some(Operator::Slice(_))) => RowOrder::Carried,
                (LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_), _) => order,
                _ => RowOrder::Random,
            };
            let mut inputs = Vec::new();
            for input in plan.inputs() {
                inputs.push(self.node(input.clone(), order_below).await?);
            }
            let lowered = match (operator, inputs.pop()) {
                (Some(Operator::Generalize(node)), Some(input)) => {
                    let (lowered, labels) = self.generalize(node, input).await?;
                    self.decided.push((plan, labels));
                    return Ok(lowered);
                }
                (Some(Operator::Slice(node)), Some(input)) => self.slice(node, input, order).await?,
                (Some(Operator::Randomize(node)), Some(input)) => self.randomize(node, input).await?,
                (Some(Operator::Private(node)), Some(input)) => self.private(node, input).await?,
                (_, last) => {
                    inputs.extend(last);
                    return Ok(plan.with_new_exprs(plan.expressions(), inputs)?);
                }
            };
            self.drawn.push((plan, lowered.clone()));
            Ok(lowered)
        }
        .boxed()
    }
}

/// Whether lowering has anything to do here. Operators inside expressions are refused at the end.
fn has_operator_below(plan: &LogicalPlan) -> Result<bool, LowerError> {
    Ok(plan.exists(|node| Ok(Operator::of(node).is_some()))?)
}
