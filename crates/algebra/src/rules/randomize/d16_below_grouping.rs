//! D16: noise below a grouping that cannot see it.

use crate::rules::outcome::{equivalent, refused};
use crate::rules::reach::has_subquery;
use crate::rules::patterns::columns::place;
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use std::sync::Arc;

/// Noise below a grouping that cannot see it.
#[derive(Debug)]
pub(super) struct BelowGrouping;

static CARD: Card = Card {
    id: "D16",
    statement: "γ_{A; f(B)}(r) ⇐ γ_{A; f(B)}(α^D_P(r)), attr(P) ∩ (A ∪ B) = ∅",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(P) ∩ (A ∪ B) = ∅: the grouping reads no randomised column; every row stays a row, so count(*) reads none",
    source: "beyond the thesis, which asks for rules of grouping in its outlook",
    example: "P = {(C, 0.5)}: count(*) per A, or the mean of B per A, without any noise. Counter-example: count(*) per C, which is D17",
};

impl Rule for BelowGrouping {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The left side has no operator: nothing says which noise to add, so it never matches.
        let (LogicalPlan::Aggregate(aggregate), Way::RightToLeft) = (plan, way) else {
            return Ok(Attempt::NoMatch);
        };
        let Some(node) = randomize(&aggregate.input) else { return Ok(Attempt::NoMatch) };
        let exprs = || aggregate.group_expr.iter().chain(&aggregate.aggr_expr);
        if exprs().any(|expr| has_subquery(expr) || expr.is_volatile()) {
            return refused("the grouping reads more than the rows, or is random itself");
        }
        let schema = node.input().schema();
        for column in node.what().columns() {
            let noisy = place(schema, column)?;
            for read in exprs().flat_map(Expr::column_refs) {
                if place(schema, read)? == noisy {
                    return refused(format!("the grouping reads {}, which is randomised", column.name));
                }
            }
        }
        let input = Arc::new(node.input().clone());
        let bare = Aggregate::try_new(input, aggregate.group_expr.clone(), aggregate.aggr_expr.clone())?;
        equivalent(LogicalPlan::Aggregate(bare), "the grouping reads no randomised column")
    }
}
