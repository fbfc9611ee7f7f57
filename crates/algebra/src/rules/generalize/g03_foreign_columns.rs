//! G3: columns that the relation does not have.

use super::source;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G3: `α^G[X, a](r) ⇔ r` when X ∩ R = ∅.
///
/// The operator refuses columns that its relation does not have, with a message that names them, when it is built. So no plan looks
/// like the left side, and a typing error is not taken for a wish to generalize nothing.
#[derive(Debug)]
pub(super) struct ForeignColumns;

static CARD: Card = Card {
    id: "G3",
    statement: "α^G[X, a](r) ⇔ r",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "X ∩ R = ∅. Never applied: such an operator is refused when it is built, so no plan has one; X = ∅ is G2.",
    source: source!("unknown columns are an error"),
    example: "X = {zip}, which the donors do not have: refused with the names of their columns.",
};

impl Rule for ForeignColumns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, _plan: &LogicalPlan, _way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        Ok(Attempt::NoMatch)
    }
}
