//! D15: noise does not move past a difference.

use crate::rules::outcome::{SOURCE, refused};
use crate::rules::patterns::randomize::randomize;
use crate::rules::patterns::set::set_operation;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{JoinType, Result};
use datafusion::logical_expr::LogicalPlan;

/// Noise does not move past a difference.
#[derive(Debug)]
pub(super) struct Difference;

static CARD: Card = Card {
    id: "D15",
    statement: "α^D(r1 − r2) ≠ α^D(r1) − α^D(r2)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "never",
    source: SOURCE,
    example: "counter-example: r1 = r2 = {00}, p = 0.5, two equally likely values: the left side is empty, the right \
        side is not with probability 3/8",
};

impl Rule for Difference {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let matches = match way {
            Way::LeftToRight => {
                randomize(plan).is_some_and(|node| set_operation(node.input(), JoinType::LeftAnti).is_some())
            }
            Way::RightToLeft => set_operation(plan, JoinType::LeftAnti)
                .is_some_and(|(left, right)| randomize(left).is_some() && randomize(right).is_some()),
        };
        if matches { refused(CARD.example) } else { Ok(Attempt::NoMatch) }
    }
}
