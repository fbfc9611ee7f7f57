//! G12: an early projection.

use super::conditions::{Condition, has_protected, is_a_function, protected};
use super::g09_below_projection::BAGS_ONLY;
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Generalization;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::projection::{is_set_projection, project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// G12: `π_Y(α^G[X, a](r)) ⇔ π_Y(α^G[X, a](π_Y' r))` with Y' = (X ∪ Y) ∩ R, right to left.
///
/// Columns that neither decide the levels nor come out need not be carried. Y' also has the sensitive columns that the promise
/// speaks of; then the rule holds for every model, and with suppression. It is useful only where r has more columns than Y', else
/// it does not fit.
///
/// Schema: the outer π_Y is the same; X is text below it on both sides.
#[derive(Debug)]
pub(super) struct EarlyProjection;

static CARD: Card = Card {
    id: "G12",
    statement: "π_Y(α^G[X, a](π_Y' r)) ⇔ π_Y(α^G[X, a](r))",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y' = (X ∪ Y) ∩ R with the sensitive columns, and Y' ≠ R; π keeps duplicates.",
    source: source!("sensitive columns belong to Y'"),
    example: "Groups 00, A0, 00, A0, 00, A0; X = {day, group}, Y = {day, rhesus}, k = 3: six times Q1 on both sides, age is not carried \
        with Y' = {day, group, rhesus}.",
};

impl Rule for EarlyProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let Some((columns, below)) = projected(plan) else { return Ok(Attempt::NoMatch) };
        let Some((what, relation)) = generalized(below) else { return Ok(Attempt::NoMatch) };
        if way == Way::LeftToRight {
            return match projected(relation) {
                Some(_) => refused("the operator would have to carry columns that nobody looks at"),
                None if is_set_projection(relation) => refused(BAGS_ONLY),
                None => Ok(Attempt::NoMatch),
            };
        }
        let carried = carried(what, &columns, relation);
        if carried.len() == relation.schema().fields().len() {
            return Ok(Attempt::NoMatch);
        }
        match condition(what, relation) {
            Err(because) => refused(because),
            Ok(()) => {
                let narrow = project(relation.clone(), &carried)?;
                let generalized = generalize(narrow, &what.quasi, &what.promise)?;
                equivalent(
                    project(generalized, &columns)?,
                    "the other columns neither decide the levels nor come out",
                )
            }
        }
    }
}

/// Y', in the order of the relation.
fn carried(what: &Generalization, columns: &[Column], relation: &LogicalPlan) -> Vec<Column> {
    let sensitive = protected(&what.promise, relation.schema());
    let mut all = relation.schema().columns();
    all.retain(|column| {
        what.quasi.contains(column) || columns.contains(column) || sensitive.contains(column)
    });
    all
}

fn condition(what: &Generalization, relation: &LogicalPlan) -> Condition {
    is_a_function(&what.promise)?;
    has_protected(&what.promise, relation.schema())
}
