//! G9: a generalization below a projection.

use super::conditions::{Condition, has_protected, is_a_function, same_order};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Generalization;
use crate::rules::patterns::columns::subset;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::projection::{is_set_projection, project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// G9: `α^G[X, a](π_Y r) ⇔ π_Y(α^G[X, a](r))` when X ⊆ Y, left to right.
///
/// The levels depend on the values of X (and of the sensitive columns, which the left side has in Y), and π keeps every row: both
/// sides see the same values, choose the same levels and leave out the same rows. This holds for every model; the sensitive columns
/// must be the same ones in r. A π that removes duplicates changes how often values occur, so there the rule refuses.
///
/// Schema: X ⊆ Y is text on both sides. The rule makes the operator carry more columns, so it does not pay; G10 is the same, read
/// the other way.
#[derive(Debug)]
pub(super) struct BelowProjection;

static CARD: Card = Card {
    id: "G9",
    statement: "α^G[X, a](π_Y r) ⇔ π_Y(α^G[X, a](r))",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "X ⊆ Y; π keeps duplicates; sensitive columns are in Y.",
    source: source!(
        "X ⊆ Y and bags are conditions; removing duplicates first can force quarters where months would do, and afterwards it \
            leaves single rows"
    ),
    example: "X = {day}, Y = {day, group}, k = 3 on six donors: Jan 00, Jan 00, Jan B0, Mar A0, Mar A0, Mar B0 on both sides.",
};

/// Why duplicates must stay.
pub(super) const BAGS_ONLY: &str = "the projection removes duplicates, which changes how often values occur; the rule holds for SELECT without DISTINCT";

impl Rule for BelowProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let Some((what, below)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                if is_set_projection(below) {
                    return refused(BAGS_ONLY);
                }
                let Some((columns, relation)) = projected(below) else { return Ok(Attempt::NoMatch) };
                match condition(what, &columns, below, relation) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(
                        project(generalize(relation.clone(), &what.quasi, &what.promise)?, &columns)?,
                        "the projection keeps every row and all columns that decide the levels",
                    ),
                }
            }
            Way::RightToLeft => match projected(plan).and_then(|(_, below)| generalized(below)) {
                Some(_) => refused("the other way is G10"),
                None => Ok(Attempt::NoMatch),
            },
        }
    }
}

/// For G9 and G10: π_Y keeps all that the operator over r looks at, and its order.
pub(super) fn condition(
    what: &Generalization,
    columns: &[Column],
    narrow: &LogicalPlan,
    relation: &LogicalPlan,
) -> Condition {
    if !subset(&what.quasi, columns) {
        return Err("the projection drops columns that are generalized".to_owned());
    }
    is_a_function(&what.promise)?;
    has_protected(&what.promise, narrow.schema())?;
    has_protected(&what.promise, relation.schema())?;
    same_order(&what.quasi, narrow.schema(), relation.schema())
}
