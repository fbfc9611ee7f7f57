//! D3: noise on columns that are not there.

use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise on columns that are not there.
#[derive(Debug)]
pub(super) struct ForeignColumns;

static CARD: Card = Card {
    id: "D3",
    statement: "α^D_P(r) ⇔ r, attr(P) ∩ R = ∅",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "no column of P is one of the relation. Never applied: such an operator is refused when it is built, so no plan \
        has one; P = ∅ is D1",
    source: SOURCE,
    example: "P = {(C, 0.5)} on a relation with A and B: refused with the names of its columns",
};

impl Rule for ForeignColumns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The right side is a bare relation: nothing says which noise to add, so it never matches.
        let (Some(node), Way::LeftToRight) = (randomize(plan), way) else { return Ok(Attempt::NoMatch) };
        if node.what().noise.is_empty() {
            return Ok(Attempt::NoMatch);
        }
        match node.what().columns().find(|column| node.input().schema().has_column(column)) {
            Some(column) => refused(format!("{} is a column of the relation", column.name)),
            None => equivalent(node.input().clone(), "no column of P is one of the relation"),
        }
    }
}
