//! D8: noise below a projection.

use crate::operator::Randomize;
use crate::rules::outcome::{SOURCE, equivalent, refused, wrong_way};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise below a projection.
#[derive(Debug)]
pub(super) struct BelowProjection;

static CARD: Card = Card {
    id: "D8",
    statement: "α^D_P(π_X r) ⇒ π_X(α^D_P(r))",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "the projection keeps duplicates",
    source: SOURCE,
    example: "X = {A, B}, P = {(A, 0.16), (B, 0.5)} on (01.01., 00, +), (02.01., A0, -): the same distribution on both \
        sides",
};

impl Rule for BelowProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::RightToLeft {
            return match Projected::of(plan) {
                Some(Ok(pi)) if randomize(pi.input()).is_some() => wrong_way(&CARD, "D9 is the rule for it"),
                _ => Ok(Attempt::NoMatch),
            };
        }
        let Some(node) = randomize(plan) else { return Ok(Attempt::NoMatch) };
        let pi = match Projected::of(node.input()) {
            None => return Ok(Attempt::NoMatch),
            Some(Err(why)) => return refused(why),
            Some(Ok(pi)) => pi,
        };
        let noise = node.what().noise.iter().map(|(column, noise)| Ok((pi.below(column)?, noise.clone())));
        let below = Randomize::plan(pi.input().clone(), noise.collect::<Result<_>>()?, node.what().draw)?;
        equivalent(pi.over(below)?, "the projection keeps every row and every randomised column")
    }
}
