//! D6: the same noise twice, as one.

use crate::rules::outcome::{SOURCE, wrong_way};
use crate::rules::patterns::randomize::{combined, nested, randomize};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// The same noise twice, as one.
#[derive(Debug)]
pub(super) struct TwiceAsOne;

static CARD: Card = Card {
    id: "D6",
    statement: "α^D_P(α^D_P(r)) ⇒ α^D_P'(r), p' = 1 − (1 − p)²",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "every distribution is static and not read off the column (the second application would read the noise of \
        the first)",
    source: SOURCE,
    example: "P = {(A, 0.16), (B, 0.5)} twice: {(A, 0.2944), (B, 0.75)}. Counter-example for dynamic noise: each \
        neighbour on a cycle of three days, p = 0.16 twice: the old value with probability 0.7184, the combined \
        operator 0.7056",
};

impl Rule for TwiceAsOne {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match (way, nested(plan)) {
            (Way::LeftToRight, Some((outer, inner))) if outer.what().same_noise(inner.what()) => {
                combined(outer, inner)
            }
            (Way::RightToLeft, _) if randomize(plan).is_some() => {
                wrong_way(&CARD, "p is rarely a decimal number, and nothing is gained")
            }
            _ => Ok(Attempt::NoMatch),
        }
    }
}
