//! G5: some of the columns again.

use super::conditions::{Condition, TCloseness, is_a_function, kept_by_the_result, kept_by_unions};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Promise;
use crate::rules::patterns::columns::subset;
use crate::rules::patterns::generalize::{generalize, generalized, stacked};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G5: `α^G[Y, a](α^G[X, a](r)) ⇔ α^G[X, a](r)` when Y ⊆ X.
///
/// Classes over fewer columns are unions of classes over X. So the promise must be the same, and of a kind that survives when
/// classes are united: k-anonymity, distinct, entropy and recursive diversity, and t-closeness where no row was left out. With
/// suppression the rows that stay are unions of classes that stay.
///
/// Schema: Y ⊆ X is text already. From right to left Y is free; the rule takes the first column of X, and fits only where X has several.
#[derive(Debug)]
pub(super) struct FewerColumnsAgain;

static CARD: Card = Card {
    id: "G5",
    statement: "α^G[Y, a](α^G[X, a](r)) ⇔ α^G[X, a](r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y ⊆ X; the same promise twice, of k-anonymity, distinct, entropy or recursive diversity, or t-closeness without suppression.",
    source: source!(),
    example: "X = {day, rhesus}, Y = {day}, k = 3 on six donors: three times (Jan, ±), three times (Mar, ±) on both sides.",
};

impl Rule for FewerColumnsAgain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let because = "classes over fewer columns are unions of classes that keep the promise";
        match way {
            Way::LeftToRight => {
                let (Some((outer, inner, _)), Some((_, once))) = (stacked(plan), generalized(plan)) else {
                    return Ok(Attempt::NoMatch);
                };
                if outer.promise.k() != inner.promise.k() {
                    return Ok(Attempt::NoMatch);
                }
                if !subset(&outer.quasi, &inner.quasi) {
                    return refused("the outer operator generalizes columns that the inner one does not");
                }
                if outer.promise != inner.promise {
                    return refused("the two promises differ in more than k");
                }
                match condition(&outer.promise) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(once.clone(), because),
                }
            }
            Way::RightToLeft => {
                let Some((what, _)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                let [first, _, ..] = &what.quasi[..] else { return Ok(Attempt::NoMatch) };
                match condition(&what.promise) {
                    Err(because) => refused(because),
                    Ok(()) => equivalent(
                        generalize(plan.clone(), std::slice::from_ref(first), &what.promise)?,
                        because,
                    ),
                }
            }
        }
    }
}

fn condition(promise: &Promise) -> Condition {
    is_a_function(promise)?;
    kept_by_the_result(promise)?;
    kept_by_unions(promise, TCloseness::OneTable)
}
