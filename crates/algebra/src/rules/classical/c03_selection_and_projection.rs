//! C3: selection and projection

use super::{NOT_THE_ROW, SOURCE, with_columns};
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::selection::{filtered, reads_the_row_only};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Selection and projection.
#[derive(Debug)]
pub(super) struct SelectionAndProjection;

static CARD: Card = Card {
    id: "C3",
    statement: "σ_F(π_X(r)) ⇔ π_X(σ_F(r))",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(F) ⊆ X; F reads nothing but the row; π keeps duplicates",
    source: SOURCE,
    example: "F: A = 1, X = {A, B}. From right to left it fails for F: C = 2",
};

impl Rule for SelectionAndProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let LogicalPlan::Filter(filter) = plan else { return Ok(Attempt::NoMatch) };
                let pi = match Projected::of(&filter.input) {
                    Some(Ok(pi)) => pi,
                    Some(Err(why)) => return refused(why),
                    None => return Ok(Attempt::NoMatch),
                };
                if !reads_the_row_only(&filter.predicate) {
                    return refused(NOT_THE_ROW);
                }
                let Some(below) = with_columns(&filter.predicate, |column| pi.below(column).ok())? else {
                    return Ok(Attempt::NoMatch);
                };
                equivalent(pi.over(filtered(&below, pi.input().clone())?)?, BECAUSE)
            }
            Way::RightToLeft => {
                let Some(Ok(pi)) = Projected::of(plan) else { return Ok(Attempt::NoMatch) };
                let LogicalPlan::Filter(filter) = pi.input() else { return Ok(Attempt::NoMatch) };
                if !reads_the_row_only(&filter.predicate) {
                    return refused(NOT_THE_ROW);
                }
                match with_columns(&filter.predicate, |column| pi.above(column).ok().flatten())? {
                    Some(above) => {
                        equivalent(filtered(&above, pi.over(filter.input.as_ref().clone())?)?, BECAUSE)
                    }
                    None => refused("the predicate reads columns that the projection drops"),
                }
            }
        }
    }
}
const BECAUSE: &str = "the columns that the predicate reads are there on both sides";
