//! G14: an early selection.

use super::conditions::{Condition, enough_rows, k_anonymity_only, require, without_suppression};
use super::source;
use crate::rules::outcome::{partially, refused};
use crate::operator::Generalization;
use crate::rules::reach::reads_any;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::selection::reads_the_row_only;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};
use std::sync::Arc;

/// G14: `σ_F(α^G[X, a](r)) ≈ α^G[X, a](σ_F r)` when attr(F) ∩ X = ∅ and |σ_F r| ≥ a, right to left only.
///
/// F reads columns that the operator does not touch, so the same rows stay; their levels are chosen for them alone. The right side
/// is *not* safe: a selection takes rows out of classes. The rule makes it safe and must never be read the other way. F must decide
/// from the row alone (no subquery, no chance). For models beyond k-anonymity nobody knows whether the rows that stay can keep
/// them, so there the rule refuses; so it does with suppression.
///
/// Schema: X is text on both sides, and F does not see it.
#[derive(Debug)]
pub(super) struct AboveSelection;

static CARD: Card = Card {
    id: "G14",
    statement: "α^G[X, a](σ_F r) ≈ σ_F(α^G[X, a](r))",
    direction: Direction::RightToLeft,
    kind: Kind::PartiallyEquivalent,
    safe: Safe::Yes,
    condition: "attr(F) ∩ X = ∅, |σ_F r| ≥ a; F decides from the row alone; k-anonymity only, no suppression. A late selection is not safe.",
    source: source!("a late selection does break k-anonymity"),
    example: "X = {day}, k = 3, F: group ≠ B0 on six donors: the left side has Q1 four times, the right one Jan twice and Mar twice, which \
        is k = 2.",
};

impl Rule for AboveSelection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match (way, plan) {
            (Way::LeftToRight, _) => match generalized(plan) {
                Some((_, LogicalPlan::Filter(_))) => refused(format!(
                    "a selection after the operator takes rows out of classes and breaks the guarantee. {}",
                    CARD.example
                )),
                _ => Ok(Attempt::NoMatch),
            },
            (Way::RightToLeft, LogicalPlan::Filter(filter)) => {
                let Some((what, relation)) = generalized(&filter.input) else { return Ok(Attempt::NoMatch) };
                let early = || -> Result<LogicalPlan> {
                    Ok(LogicalPlan::Filter(Filter::try_new(
                        filter.predicate.clone(),
                        Arc::new(relation.clone()),
                    )?))
                };
                if let Err(because) = readable(what, &filter.predicate) {
                    return refused(because);
                }
                let early = early()?;
                match condition(what, &early, facts) {
                    Err(because) => refused(because),
                    Ok(()) => partially(
                        generalize(early, &what.quasi, &what.promise)?,
                        Safe::Yes,
                        "the selection reads no generalized column and leaves enough rows; levels are chosen for them alone",
                    ),
                }
            }
            (Way::RightToLeft, _) => Ok(Attempt::NoMatch),
        }
    }
}

fn readable(what: &Generalization, predicate: &Expr) -> Condition {
    require(!reads_any(predicate, &what.quasi), || {
        "the selection reads a generalized column, which has raw values below the operator".to_owned()
    })?;
    require(reads_the_row_only(predicate), || "the selection has a subquery or depends on chance".to_owned())
}

fn condition(what: &Generalization, early: &LogicalPlan, facts: &dyn Facts) -> Condition {
    k_anonymity_only(&what.promise)?;
    without_suppression(&what.promise)?;
    enough_rows(facts, early, &what.promise, "the selection")
}
