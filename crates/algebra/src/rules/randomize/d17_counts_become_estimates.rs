//! D17: counts of a randomised column are not those of the column; they become an estimate.

use crate::rules::outcome::refused;
use crate::rules::patterns::columns::place;
use crate::rules::patterns::randomize::randomize;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Counts of a randomised column are not those of the column; they become an estimate.
#[derive(Debug)]
pub(super) struct CountsBecomeEstimates;

static CARD: Card = Card {
    id: "D17",
    statement: "γ_{A; count}(α^D_P(r)) ≠ γ_{A; count}(r), A ∩ attr(P) ≠ ∅",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "never; the unbiased estimate M⁻¹·n of the true counts, with its standard error, stands beside an answer that shows all rows or counts them, \
        where M = (1 − p)·I + p·K can be inverted",
    source: "beyond the thesis, which asks for rules of grouping in its outlook",
    example: "counter-example: two rows 00, p = 0.5, two equally likely values: the count of 00 is 2 on the right side, and 3/2 on average on the left one; \
        the estimate (n − 2·p/2)/(1 − p) is 2 on average",
};

impl Rule for CountsBecomeEstimates {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let (LogicalPlan::Aggregate(aggregate), Way::LeftToRight) = (plan, way) else {
            return Ok(Attempt::NoMatch);
        };
        let Some(node) = randomize(&aggregate.input) else { return Ok(Attempt::NoMatch) };
        let schema = node.input().schema();
        for column in node.what().columns() {
            let noisy = place(schema, column)?;
            for read in aggregate.group_expr.iter().flat_map(Expr::column_refs) {
                if place(schema, read)? == noisy {
                    return refused(CARD.example);
                }
            }
        }
        Ok(Attempt::NoMatch)
    }
}
