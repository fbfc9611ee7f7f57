//! S10: slicing does not move past an intersection.

use crate::rules::outcome::{SOURCE, refused};
use crate::rules::patterns::set::set_operation;
use crate::rules::patterns::slice::slice;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{JoinType, Result};
use datafusion::logical_expr::LogicalPlan;

/// Slicing does not move past an intersection.
#[derive(Debug)]
pub(super) struct Intersection;

static CARD: Card = Card {
    id: "S10",
    statement: "α^S(r1 ∩ r2) ≠ α^S(r1) ∩ α^S(r2)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "never",
    source: SOURCE,
    example: "counter-example: r1 = r2 = {(01.01., 00), (05.01., A0)}, V = {A}, {B}: the left side has two rows, the \
        right side is empty with probability 1/2",
};

impl Rule for Intersection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let matches = match way {
            Way::LeftToRight => {
                slice(plan).is_some_and(|node| set_operation(node.input(), JoinType::LeftSemi).is_some())
            }
            Way::RightToLeft => set_operation(plan, JoinType::LeftSemi)
                .is_some_and(|(left, right)| slice(left).is_some() && slice(right).is_some()),
        };
        if matches { refused(CARD.example) } else { Ok(Attempt::NoMatch) }
    }
}
