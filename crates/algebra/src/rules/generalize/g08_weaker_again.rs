//! G8: a weaker promise again.

use super::conditions::{Condition, is_a_function, kept_by_the_result};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Promise;
use crate::rules::patterns::generalize::{generalize, generalized, stacked};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G8: `α^G[X, a](α^G[X, b](r)) ⇔ α^G[X, b](r)` when a ≤ b.
///
/// Classes of b rows are classes of a rows, so the inner result keeps the outer promise and stays. The promises may differ in k
/// only; the other models are kept for the same reason as in G4, with the same exceptions, with suppression or without.
///
/// Schema: X is text on both sides. From right to left a is free; the rule takes b − 1.
#[derive(Debug)]
pub(super) struct WeakerAgain;

static CARD: Card = Card {
    id: "G8",
    statement: "α^G[X, a](α^G[X, b](r)) ⇔ α^G[X, b](r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "a ≤ b; otherwise the same promise; no δ-presence or k-map; no t-closeness with suppression.",
    source: source!("also for a = b"),
    example: "X = {day}, a = 3, b = 5 on six donors: six times Q1 on both sides.",
};

impl Rule for WeakerAgain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let because = "the stronger promise was kept before, so the weaker one changes nothing";
        match way {
            Way::LeftToRight => {
                let (Some((outer, inner, _)), Some((_, once))) = (stacked(plan), generalized(plan)) else {
                    return Ok(Attempt::NoMatch);
                };
                if outer.quasi != inner.quasi || outer.promise.k() > inner.promise.k() {
                    return Ok(Attempt::NoMatch);
                }
                if !outer.promise.same_but_for_k(&inner.promise) {
                    return refused("the two promises differ in more than k");
                }
                match condition(&inner.promise) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(once.clone(), because),
                }
            }
            Way::RightToLeft => {
                let Some((what, _)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                if what.promise.k() < 2 {
                    return Ok(Attempt::NoMatch);
                }
                let weaker = what.promise.with_k(what.promise.k() - 1);
                match condition(&what.promise) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(generalize(plan.clone(), &what.quasi, &weaker)?, because),
                }
            }
        }
    }
}

fn condition(promise: &Promise) -> Condition {
    is_a_function(promise)?;
    kept_by_the_result(promise)
}
