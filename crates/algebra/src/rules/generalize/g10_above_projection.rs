//! G10: a generalization above a projection.

use super::g09_below_projection::{BAGS_ONLY, condition};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::projection::{is_set_projection, project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G10: `π_Y(α^G[X, a](r)) ⇔ α^G[X, a](π_Y r)` when X ⊆ Y, right to left.
///
/// The same equivalence as G9, in the direction that pays: the operator carries the columns of Y only. Sensitive columns must stay
/// in Y, since the operator still needs them. A removal of duplicates *above* both is untouched and does no harm.
///
/// Schema: X ⊆ Y is text on both sides.
#[derive(Debug)]
pub(super) struct AboveProjection;

static CARD: Card = Card {
    id: "G10",
    statement: "α^G[X, a](π_Y r) ⇔ π_Y(α^G[X, a](r))",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "X ⊆ Y; π keeps duplicates; sensitive columns are in Y.",
    source: source!("X ⊆ Y and bags are conditions"),
    example: "X = {day}, Y = {day, group}, k = 3 on six donors: Jan 00, Jan 00, Jan B0, Mar A0, Mar A0, Mar B0 on both sides.",
};

impl Rule for AboveProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => match generalized(plan) {
                Some((_, below)) if is_set_projection(below) => refused(BAGS_ONLY),
                Some((_, below)) if projected(below).is_some() => refused("the other way is G9"),
                _ => Ok(Attempt::NoMatch),
            },
            Way::RightToLeft => {
                let Some((columns, below)) = projected(plan) else { return Ok(Attempt::NoMatch) };
                let Some((what, relation)) = generalized(below) else { return Ok(Attempt::NoMatch) };
                match condition(what, &columns, plan, relation) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(
                        generalize(project(relation.clone(), &columns)?, &what.quasi, &what.promise)?,
                        "the projection keeps every row and all columns that decide the levels",
                    ),
                }
            }
        }
    }
}
