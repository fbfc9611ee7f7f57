//! G2: nothing to generalize.

use super::conditions::{Condition, enough_rows, is_a_function, k_anonymity_only};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Promise;
use crate::rules::patterns::generalize::generalized;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G2: `α^G[∅, a](r) ⇔ r` when |r| ≥ a.
///
/// Without quasi-identifiers all rows are one class, which keeps k-anonymity when there are enough of them; then no row is left out
/// either. Whether one class keeps another model depends on the values, so there the rule refuses.
///
/// Schema: no column is touched, so none becomes text. From right to left the rule would put an operator with an a of its own
/// choice over any relation; no plan asks for that.
#[derive(Debug)]
pub(super) struct NoColumns;

static CARD: Card = Card {
    id: "G2",
    statement: "α^G[∅, a](r) ⇔ r",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "|r| ≥ a; k-anonymity only. From right to left a is free, so no plan is rewritten that way.",
    source: source!("without columns all rows are one class, so there must be a of them"),
    example: "X = ∅, k = 3 on six donors: the rows stay as they are.",
};

impl Rule for NoColumns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match (way, generalized(plan)) {
            (Way::LeftToRight, Some((what, relation))) if what.quasi.is_empty() => {
                match condition(&what.promise, relation, facts) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(
                        relation.clone(),
                        "no column is generalized, and the one class is large enough",
                    ),
                }
            }
            _ => Ok(Attempt::NoMatch),
        }
    }
}

fn condition(promise: &Promise, relation: &LogicalPlan, facts: &dyn Facts) -> Condition {
    k_anonymity_only(promise)?;
    is_a_function(promise)?;
    enough_rows(facts, relation, promise, "the relation")
}
