//! D7: noise after noise, as one.

use crate::rules::outcome::{SOURCE, wrong_way};
use crate::rules::patterns::randomize::{combined, nested, randomize};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise after noise, as one.
#[derive(Debug)]
pub(super) struct NoiseAfterNoise;

static CARD: Card = Card {
    id: "D7",
    statement: "α^D_PX(α^D_PY(r)) ⇒ α^D_PZ(r), p_z = 1 − (1 − p_x)(1 − p_y), missing p = 0",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "columns in both have the same distribution in both; it is static and not read off the column",
    source: SOURCE,
    example: "{(B, 0.3), (C, 0.5)} after {(A, 0.16), (B, 0.2)}: {(A, 0.16), (B, 0.44), (C, 0.5)}",
};

impl Rule for NoiseAfterNoise {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match (way, nested(plan)) {
            (Way::LeftToRight, Some((outer, inner))) => combined(outer, inner),
            (Way::RightToLeft, _) if randomize(plan).is_some() => {
                wrong_way(&CARD, "nothing says which noise came first")
            }
            _ => Ok(Attempt::NoMatch),
        }
    }
}
