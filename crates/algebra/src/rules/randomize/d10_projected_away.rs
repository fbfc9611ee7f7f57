//! D10: noise that is projected away.

use crate::rules::outcome::{SOURCE, also_distinct, equivalent, refused};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise that is projected away.
#[derive(Debug)]
pub(super) struct ProjectedAway;

static CARD: Card = Card {
    id: "D10",
    statement: "π_X r ⇐ π_X(α^D_P(r)), attr(P) ∩ X = ∅",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(P) ∩ X = ∅; holds for projections that drop duplicates, too",
    source: SOURCE,
    example: "X = {A, C}, P = {(B, 0.5)}: (01.01., +), (02.01., -) without any noise",
};

impl Rule for ProjectedAway {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The left side has no operator: nothing says which noise to add, so it never matches.
        if way == Way::LeftToRight {
            return Ok(Attempt::NoMatch);
        }
        also_distinct(plan, unseen)
    }
}

fn unseen(plan: &LogicalPlan) -> Result<Attempt> {
    let pi = match Projected::of(plan) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) if crate::rules::patterns::randomize::projects_noise(plan) => return refused(why),
        Some(Err(_)) => return Ok(Attempt::NoMatch),
        Some(Ok(pi)) => pi,
    };
    let Some(node) = randomize(pi.input()) else { return Ok(Attempt::NoMatch) };
    for column in node.what().columns() {
        if pi.above(column)?.is_some() {
            return refused(format!("{} is randomised and kept by the projection", column.name));
        }
    }
    equivalent(pi.over(node.input().clone())?, "every randomised column is projected away")
}
