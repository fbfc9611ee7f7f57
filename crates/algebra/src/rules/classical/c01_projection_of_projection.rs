//! C1: a projection of a projection

use super::SOURCE;
use crate::rules::outcome::{equivalent, wrong_way};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// A projection of a projection.
#[derive(Debug)]
pub(super) struct ProjectionOfProjection;

static CARD: Card = Card {
    id: "C1",
    statement: "π_X(π_Y(r)) ⇔ π_X(r)",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "X ⊆ Y; the inner projection may compute or rename columns, the outer one may not",
    source: SOURCE,
    example: "π_{A}(π_{A, B}(r)): π_{A}(r)",
};

impl Rule for ProjectionOfProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let LogicalPlan::Projection(outer) = plan else { return Ok(Attempt::NoMatch) };
        if way == Way::RightToLeft {
            return wrong_way(&CARD, "nothing says which columns the inner projection should have");
        }
        let LogicalPlan::Projection(inner) = &*outer.input else { return Ok(Attempt::NoMatch) };
        let chosen = outer.expr.iter().map(|expr| match expr {
            Expr::Column(column) => inner.expr.get(inner.schema.maybe_index_of_column(column)?).cloned(),
            _ => None,
        });
        let Some(chosen) = chosen.collect::<Option<Vec<Expr>>>() else { return Ok(Attempt::NoMatch) };
        let once = LogicalPlan::Projection(Projection::try_new(chosen, Arc::clone(&inner.input))?);
        equivalent(once, "the outer projection chooses among the columns of the inner one")
    }
}
