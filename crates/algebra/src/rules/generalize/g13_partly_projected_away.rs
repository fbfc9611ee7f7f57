//! G13: generalized columns of which some come out.

use super::conditions::{Condition, has_protected, without_subset, without_suppression};
use super::g09_below_projection::BAGS_ONLY;
use super::source;
use crate::rules::outcome::{partially, refused};
use crate::operator::Promise;
use crate::rules::patterns::columns::subset;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::projection::{is_set_projection, project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// G13: `π_Y(α^G[X, a](r)) ≈ α^G[X', a](π_Y r)` with X' = X ∩ Y ≠ ∅, right to left.
///
/// Columns that do not come out need not be protected: the left side keeps the promise over the columns that do. It makes its own
/// choice of levels, finer where X' has one column, and in any case the best for X'. Any model will do, since the left side keeps
/// the promise itself, if the sensitive columns stay in Y. With suppression the two sides leave out different rows. Where X ⊆ Y
/// this is G10, where X ∩ Y = ∅ it is G11.
///
/// Schema: X' is text on both sides.
#[derive(Debug)]
pub(super) struct PartlyProjectedAway;

static CARD: Card = Card {
    id: "G13",
    statement: "α^G[X', a](π_Y r) ≈ π_Y(α^G[X, a](r))",
    direction: Direction::RightToLeft,
    kind: Kind::PartiallyEquivalent,
    safe: Safe::Yes,
    condition: "X' = X ∩ Y ≠ ∅; π keeps duplicates; sensitive columns are in Y; no suppression.",
    source: source!("finer only where X' has one column; for several, only the best for X'"),
    example: "Groups 00, A0, 00, A0, 00, A0; X = {day, group}, Y = {day, rhesus}, k = 3: the right side has six times Q1, the left one \
        with X' = {day} has months.",
};

impl Rule for PartlyProjectedAway {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::LeftToRight {
            return match generalized(plan) {
                Some((_, below)) if is_set_projection(below) => refused(BAGS_ONLY),
                Some((_, below)) if projected(below).is_some() => {
                    refused("the operator would have to generalize columns that nobody looks at")
                }
                _ => Ok(Attempt::NoMatch),
            };
        }
        let Some((columns, below)) = projected(plan) else { return Ok(Attempt::NoMatch) };
        let Some((what, relation)) = generalized(below) else { return Ok(Attempt::NoMatch) };
        let shown: Vec<Column> =
            what.quasi.iter().filter(|column| columns.contains(column)).cloned().collect();
        if shown.is_empty() || subset(&what.quasi, &columns) {
            return Ok(Attempt::NoMatch);
        }
        match condition(&what.promise, plan) {
            Err(because) => refused(because),
            Ok(()) => partially(
                generalize(project(relation.clone(), &columns)?, &shown, &what.promise)?,
                Safe::Yes,
                "columns that do not come out need no protection; the others may get other levels",
            ),
        }
    }
}

fn condition(promise: &Promise, narrow: &LogicalPlan) -> Condition {
    without_suppression(promise)?;
    without_subset(promise)?;
    has_protected(promise, narrow.schema())
}
