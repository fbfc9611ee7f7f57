//! G11: generalized columns that nobody looks at.

use super::conditions::{Condition, without_subset, without_suppression};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Promise;
use crate::rules::patterns::generalize::generalized;
use crate::rules::patterns::projection::{project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G11: `π_Y(α^G[X, a](r)) ⇔ π_Y r` when X ∩ Y = ∅, right to left.
///
/// Columns outside X leave α^G as they came, row by row, so without X nothing of it is to be seen. That is so for every model, as
/// long as no row is left out: with suppression, dropping the operator brings suppressed rows back. No quasi-identifier is in the
/// result: all rows are one class. Also true where duplicates are removed above. (Where no levels keep the promise, the right side
/// is an error and the left one is not.)
///
/// Schema: the columns of Y are not in X, so they are not text on either side unless they were.
#[derive(Debug)]
pub(super) struct ProjectedAway;

static CARD: Card = Card {
    id: "G11",
    statement: "π_Y r ⇔ π_Y(α^G[X, a](r))",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "X ∩ Y = ∅; no suppression.",
    source: source!("not with suppression"),
    example: "X = {day}, Y = {group, rhesus}: the operator is dropped.",
};

impl Rule for ProjectedAway {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let Some((columns, below)) = projected(plan) else { return Ok(Attempt::NoMatch) };
        if way == Way::LeftToRight {
            return refused("an operator whose columns are dropped at once changes nothing");
        }
        let Some((what, relation)) = generalized(below) else { return Ok(Attempt::NoMatch) };
        if what.quasi.is_empty() || what.quasi.iter().any(|column| columns.contains(column)) {
            return Ok(Attempt::NoMatch);
        }
        match condition(&what.promise) {
            Err(because) => refused(because),
            Ok(()) => {
                equivalent(project(relation.clone(), &columns)?, "no generalized column is in the result")
            }
        }
    }
}

fn condition(promise: &Promise) -> Condition {
    without_suppression(promise)?;
    without_subset(promise)
}
