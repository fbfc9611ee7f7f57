//! G18: no rule for intersections.

use super::source;
use crate::rules::outcome::refused;
use crate::rules::patterns::generalize::generalized;
use crate::rules::patterns::set::set_operation;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{JoinType, Result};
use datafusion::logical_expr::LogicalPlan;

/// G18: α^G(r1 ∩ r2) and α^G(r1) ∩ α^G(r2) are not the same, under any model.
///
/// The two sides may choose different levels, and labels of different levels are different values.
#[derive(Debug)]
pub(super) struct Intersection;

static CARD: Card = Card {
    id: "G18",
    statement: "α^G[X, a](r1 ∩ r2) ≠ α^G[X, a](r1) ∩ α^G[X, a](r2)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "Never.",
    source: source!(),
    example: "k = 2, X = {day}: r1 = (01.01., 00), (05.01., 00), (14.02., A0), (20.02., A0), r2 = the same with (25.03., B0) instead of \
        the last. Left: three times Q1. Right: months ∩ quarters, which is empty.",
};

impl Rule for Intersection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match is_either_side(plan, way, JoinType::LeftSemi) {
            true => refused(format!("generalizing does not move past an intersection. {}", CARD.example)),
            false => Ok(Attempt::NoMatch),
        }
    }
}

/// Whether a plan is α^G over a set operation (left), or a set operation of two α^G (right).
pub(super) fn is_either_side(plan: &LogicalPlan, way: Way, operation: JoinType) -> bool {
    match way {
        Way::LeftToRight => {
            generalized(plan).is_some_and(|(_, below)| set_operation(below, operation).is_some())
        }
        Way::RightToLeft => set_operation(plan, operation).is_some_and(|(left, right)| {
            generalized(left).is_some() && generalized(right).is_some()
        }),
    }
}
