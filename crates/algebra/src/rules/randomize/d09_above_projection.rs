//! D9: noise above a projection.

use crate::operator::Randomize;
use crate::rules::outcome::{SOURCE, equivalent, refused, wrong_way};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::Distinct;
use datafusion::logical_expr::LogicalPlan;

/// Noise above a projection.
#[derive(Debug)]
pub(super) struct AboveProjection;

static CARD: Card = Card {
    id: "D9",
    statement: "α^D_P'(π_X r) ⇐ π_X(α^D_P(r)), P' = P restricted to X",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "the projection keeps duplicates; where P' is empty, the operator is dropped",
    source: SOURCE,
    example: "X = {A, B}, P = {(A, 0.16), (B, 0.5), (C, 0.16)}: P' = {(A, 0.16), (B, 0.5)}",
};

impl Rule for AboveProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::LeftToRight {
            return match randomize(plan).map(|node| Projected::of(node.input())) {
                Some(Some(_)) => wrong_way(&CARD, "D8 is the rule for it"),
                _ => Ok(Attempt::NoMatch),
            };
        }
        let (LogicalPlan::Projection(_) | LogicalPlan::Distinct(Distinct::All(_))) = plan else {
            return Ok(Attempt::NoMatch);
        };
        let pi = match Projected::of(plan) {
            None => return Ok(Attempt::NoMatch),
            Some(Err(why)) if crate::rules::patterns::randomize::projects_noise(plan) => return refused(why),
            Some(Err(_)) => return Ok(Attempt::NoMatch),
            Some(Ok(pi)) => pi,
        };
        let Some(node) = randomize(pi.input()) else { return Ok(Attempt::NoMatch) };
        let mut noise = Vec::new();
        for (column, own) in &node.what().noise {
            if let Some(kept) = pi.above(column)? {
                noise.push((kept, own.clone()));
            }
        }
        let projected = pi.over(node.input().clone())?;
        if noise.is_empty() {
            return equivalent(projected, "every randomised column is projected away");
        }
        let plan = Randomize::plan(projected, noise, node.what().draw)?;
        equivalent(plan, "the projection keeps every row, and noise on other columns cannot be seen")
    }
}
