//! D1: noise on no column.

use crate::rules::outcome::{SOURCE, equivalent};
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise on no column.
#[derive(Debug)]
pub(super) struct NoColumns;

static CARD: Card = Card {
    id: "D1",
    statement: "α^D_∅(r) ⇔ r",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "",
    source: SOURCE,
    example: "P = ∅ on (01.01., 00), (02.01., A0): the relation as it is",
};

impl Rule for NoColumns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The right side is a bare relation: nothing says which noise to add, so it never matches.
        match (randomize(plan), way) {
            (Some(node), Way::LeftToRight) if node.what().noise.is_empty() => {
                equivalent(node.input().clone(), "no column is randomised")
            }
            _ => Ok(Attempt::NoMatch),
        }
    }
}
