//! How a rule of slicing or noise says what came of it.

use super::{Attempt, Card, Kind, Rewrite, Safe};
use datafusion::common::Result;
use datafusion::logical_expr::{Distinct, LogicalPlan};
use std::sync::Arc;

/// Where the rules of slicing and noise come from.
pub(super) const SOURCE: &str = "thesis on anonymisation operators in relational algebra, 2020, corrected";

/// The condition does not hold, or cannot be checked.
pub(super) fn refused(why: impl Into<String>) -> Result<Attempt> {
    Ok(Attempt::Refused(why.into()))
}

/// The other direction than the card's.
pub(super) fn wrong_way(card: &Card, instead: &str) -> Result<Attempt> {
    refused(format!("{} does not hold in this direction: {instead}", card.id))
}

/// For rules that hold for projections that drop duplicates as well: tries the projection below, and drops them again.
pub(super) fn also_distinct(
    plan: &LogicalPlan,
    attempt: impl Fn(&LogicalPlan) -> Result<Attempt>,
) -> Result<Attempt> {
    let LogicalPlan::Distinct(Distinct::All(input)) = plan else { return attempt(plan) };
    let LogicalPlan::Projection(_) = **input else { return Ok(Attempt::NoMatch) };
    Ok(match attempt(input)? {
        Attempt::Rewritten(rewrite) => {
            let plan = LogicalPlan::Distinct(Distinct::All(Arc::new(rewrite.plan)));
            Attempt::Rewritten(Rewrite { plan, ..rewrite })
        }
        other => other,
    })
}

/// Rewritten into an equal bag, or an equal distribution of bags.
pub(super) fn equivalent(plan: LogicalPlan, because: impl Into<String>) -> Result<Attempt> {
    rewritten(plan, Kind::Equivalent, Safe::Yes, because)
}

/// Rewritten into something partially equivalent.
pub(super) fn partially(plan: LogicalPlan, safe: Safe, because: impl Into<String>) -> Result<Attempt> {
    rewritten(plan, Kind::PartiallyEquivalent, safe, because)
}

fn rewritten(plan: LogicalPlan, kind: Kind, safe: Safe, because: impl Into<String>) -> Result<Attempt> {
    Ok(Attempt::Rewritten(Rewrite { plan, kind, safe, because: because.into() }))
}
