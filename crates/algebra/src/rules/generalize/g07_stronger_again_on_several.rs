//! G7: a stronger promise on several columns.

use super::conditions::{Condition, without_subset};
use super::g06_stronger_again::stronger_only;
use super::source;
use crate::rules::outcome::{partially, refused};
use crate::operator::Promise;
use crate::rules::patterns::generalize::{generalize, generalized, stacked};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G7: `α^G[X, a](α^G[X, b](r)) ≈ α^G[X, a](r)` when a > b and |X| ≥ 2.
///
/// With several columns the weaker step may climb in a column where the stronger one alone would not have to, and what is lifted is
/// never lowered: the right side is the better one, so the rule goes one way. The promises may differ in k only and must be
/// k-anonymity without suppression; both sides keep a.
///
/// Schema: X is text on both sides.
#[derive(Debug)]
pub(super) struct StrongerAgainOnSeveral;

static CARD: Card = Card {
    id: "G7",
    statement: "α^G[X, a](α^G[X, b](r)) ≈ α^G[X, a](r)",
    direction: Direction::LeftToRight,
    kind: Kind::PartiallyEquivalent,
    safe: Safe::Yes,
    condition: "a > b, |X| ≥ 2; k-anonymity only, no suppression, one level per column.",
    source: source!("the example's columns"),
    example: "(01.01., +), (05.01., +), (14.02., +), (20.02., -), (25.03., -), (31.03., -), X = both columns: b = 2 gives pairs (month, ±), then a = 3 gives (Q1, ±) six times; \
              a = 3 at once gives three times (Q1, +) and three times (Q1, -), which is finer.",
};

impl Rule for StrongerAgainOnSeveral {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let Some((outer, inner, relation)) = stacked(plan) else { return Ok(Attempt::NoMatch) };
                let several = outer.quasi.len() >= 2 && outer.quasi == inner.quasi;
                if !several || outer.promise.k() <= inner.promise.k() {
                    return Ok(Attempt::NoMatch);
                }
                match condition(&outer.promise, &inner.promise) {
                    Err(because) => refused(because),
                    Ok(()) => partially(
                        generalize(relation.clone(), &outer.quasi, &outer.promise)?,
                        Safe::Yes,
                        "the weaker step may only have lifted more than the stronger one needs",
                    ),
                }
            }
            Way::RightToLeft => match generalized(plan) {
                Some((what, _)) if what.quasi.len() >= 2 && what.promise.k() >= 2 => {
                    refused("a weaker step before this one could only lift columns higher than needed")
                }
                _ => Ok(Attempt::NoMatch),
            },
        }
    }
}

fn condition(outer: &Promise, inner: &Promise) -> Condition {
    stronger_only(outer, inner)?;
    without_subset(outer)
}
