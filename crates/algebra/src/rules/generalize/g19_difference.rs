//! G19: no rule for differences.

use super::g18_intersection::is_either_side;
use super::source;
use crate::rules::outcome::refused;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{JoinType, Result};
use datafusion::logical_expr::LogicalPlan;

/// G19: α^G(r1 − r2) and α^G(r1) − α^G(r2) are not the same, under any model.
///
/// The two sides may choose different levels, so that nothing is taken away; and where the levels agree, whole classes go with one
/// of their rows.
#[derive(Debug)]
pub(super) struct Difference;

static CARD: Card = Card {
    id: "G19",
    statement: "α^G[X, a](r1 − r2) ≠ α^G[X, a](r1) − α^G[X, a](r2)",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "Never.",
    source: source!(),
    example: "k = 2, X = {day}: r1 = (01.01., 00), (05.01., 00), (14.02., A0), (20.02., A0), (25.03., B0), (26.03., B0), r2 = (20.02., \
        A0), (25.03., B0). Left: four times Q1. Right: all six rows of r1 with months.",
};

impl Rule for Difference {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match is_either_side(plan, way, JoinType::LeftAnti) {
            true => refused(format!("generalizing does not move past a difference. {}", CARD.example)),
            false => Ok(Attempt::NoMatch),
        }
    }
}
