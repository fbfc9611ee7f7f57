//! C7: projection and join

use super::SOURCE;
use crate::rules::outcome::{equivalent, refused, wrong_way};
use crate::rules::patterns::join::{EquiJoin, Side};
use crate::rules::patterns::projection::Projected;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Column;
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// Projection and join.
#[derive(Debug)]
pub(super) struct ProjectionAndJoin;

static CARD: Card = Card {
    id: "C7",
    statement: "π_X(r1 ⋈_Y r2) ⇔ π_X(π_Y1(r1) ⋈_Y π_Y2(r2))",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y1 = (X ∩ R1) ∪ Y, Y2 = (X ∩ R2) ∪ Y; an inner join on equal columns; at least one column is dropped; π keeps duplicates",
    source: SOURCE,
    example: "X = {A}, r1(ID, A, B), r2(ID, C): π_{A}(π_{ID, A}(r1) ⋈_ID π_{ID}(r2))",
};

impl Rule for ProjectionAndJoin {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let pi = match Projected::of(plan) {
            Some(Ok(pi)) => pi,
            Some(Err(why)) => {
                let over_join = plan.inputs().first().is_some_and(|input| EquiJoin::of(input).is_some());
                return if over_join { refused(why) } else { Ok(Attempt::NoMatch) };
            }
            None => return Ok(Attempt::NoMatch),
        };
        let join = match EquiJoin::of(pi.input()) {
            Some(Ok(join)) => join,
            Some(Err(why)) => return refused(why),
            None => return Ok(Attempt::NoMatch),
        };
        if way == Way::RightToLeft {
            return wrong_way(&CARD, "C1 and the join's own columns say nothing about which were dropped");
        }
        let (mut left, mut right) = (join.left_on.clone(), join.right_on.clone());
        for column in plan.schema().columns() {
            match join.origin(&pi.below(&column)?)? {
                (Side::Left, column) if !left.contains(&column) => left.push(column),
                (Side::Right, column) if !right.contains(&column) => right.push(column),
                _ => {}
            }
        }
        let wide = |relation: &LogicalPlan, kept: &[Column]| kept.len() < relation.schema().fields().len();
        if !wide(join.left(), &left) && !wide(join.right(), &right) {
            return Ok(Attempt::NoMatch);
        }
        let narrow = join.over(narrowed(join.left(), &left)?, narrowed(join.right(), &right)?)?;
        equivalent(pi.over(narrow)?, "the join needs its own columns, and the projection its own")
    }
}
/// The relation with these columns, in its order.
fn narrowed(relation: &LogicalPlan, kept: &[Column]) -> Result<LogicalPlan> {
    let columns: Vec<Column> =
        relation.schema().columns().into_iter().filter(|column| kept.contains(column)).collect();
    match columns.len() == relation.schema().fields().len() {
        true => Ok(relation.clone()),
        false => {
            let columns = columns.into_iter().map(Expr::Column).collect();
            Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(relation.clone()))?))
        }
    }
}
