//! D2: noise that never happens.

use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use paravent_core::exact::Fraction;

/// Noise that never happens.
#[derive(Debug)]
pub(super) struct NeverHappens;

static CARD: Card = Card {
    id: "D2",
    statement: "α^D_P(r) ⇔ r, all p = 0",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "every p of P is 0",
    source: SOURCE,
    example: "P = {(A, 0), (B, 0)} on (01.01., 00), (02.01., A0): the relation as it is",
};

impl Rule for NeverHappens {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The right side is a bare relation: nothing says which noise to add, so it never matches.
        let (Some(node), Way::LeftToRight) = (randomize(plan), way) else { return Ok(Attempt::NoMatch) };
        if node.what().noise.is_empty() {
            return Ok(Attempt::NoMatch);
        }
        match node.what().noise.iter().find(|(_, noise)| *noise.probability.value() != Fraction::ZERO) {
            Some((column, noise)) => {
                refused(format!("{} is redrawn with probability {}", column.name, noise.probability))
            }
            None => equivalent(node.input().clone(), "every probability is 0"),
        }
    }
}
