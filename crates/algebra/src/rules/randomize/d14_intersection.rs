//! D14: noise does not move past an intersection.

use crate::rules::outcome::{SOURCE, refused};
use crate::rules::patterns::randomize::randomize;
use crate::rules::patterns::set::set_operation;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{JoinType, Result};
use datafusion::logical_expr::LogicalPlan;

/// Noise does not move past an intersection.
#[derive(Debug)]
pub(super) struct Intersection;

static CARD: Card = Card {
    id: "D14",
    statement: "α^D(r1 ∩ r2) ≠ α^D(r1) ∩ α^D(r2)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "never",
    source: SOURCE,
    example: "counter-example: r1 = r2 = {00}, p = 0.5, two equally likely values: the left side has one row, the right \
        side is empty with probability 3/8",
};

impl Rule for Intersection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let matches = match way {
            Way::LeftToRight => {
                randomize(plan).is_some_and(|node| set_operation(node.input(), JoinType::LeftSemi).is_some())
            }
            Way::RightToLeft => set_operation(plan, JoinType::LeftSemi)
                .is_some_and(|(left, right)| randomize(left).is_some() && randomize(right).is_some()),
        };
        if matches { refused(CARD.example) } else { Ok(Attempt::NoMatch) }
    }
}
