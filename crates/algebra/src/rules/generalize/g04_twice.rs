//! G4: the same generalization twice.

use super::conditions::{Condition, is_a_function, kept_by_the_result};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Promise;
use crate::rules::patterns::generalize::{generalize, generalized, stacked};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G4: `α^G[X, a](α^G[X, a](r)) ⇔ α^G[X, a](r)`.
///
/// The inner result keeps the promise, labels are lifted and never lowered, and what keeps the promise stays: the outer operator
/// changes nothing, with suppression or without. The promises must be the same. Any model will do whose verdict on the result is
/// that on the table it was made from: not those that count in a population, not t-closeness once rows were left out.
///
/// Schema: X is text on both sides.
#[derive(Debug)]
pub(super) struct Twice;

static CARD: Card = Card {
    id: "G4",
    statement: "α^G[X, a](α^G[X, a](r)) ⇔ α^G[X, a](r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "The same promise twice; no δ-presence or k-map; no t-closeness with suppression.",
    source: source!(),
    example: "X = {day}, k = 3 on six donors: three times Jan, three times Mar; the second application changes nothing.",
};

impl Rule for Twice {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let because = "what keeps the promise stays as it is";
        match way {
            Way::LeftToRight => {
                let Some((outer, inner, _)) = stacked(plan) else { return Ok(Attempt::NoMatch) };
                if outer.quasi != inner.quasi || outer.promise.k() != inner.promise.k() {
                    return Ok(Attempt::NoMatch);
                }
                if outer.promise != inner.promise {
                    return refused("the two promises differ in more than k");
                }
                match (condition(&outer.promise), generalized(plan)) {
                    (Err(because), _) => refused(because),
                    (Ok(()), Some((_, once))) => equivalent(once.clone(), because),
                    (Ok(()), None) => Ok(Attempt::NoMatch),
                }
            }
            Way::RightToLeft => {
                let Some((what, _)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                match condition(&what.promise) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(generalize(plan.clone(), &what.quasi, &what.promise)?, because),
                }
            }
        }
    }
}

fn condition(promise: &Promise) -> Condition {
    is_a_function(promise)?;
    kept_by_the_result(promise)
}
