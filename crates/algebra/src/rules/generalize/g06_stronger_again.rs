//! G6: a stronger promise on one column.

use super::conditions::{
    Condition, is_a_function, k_anonymity_only, one_level_per_column, require, without_suppression,
};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::{Generalization, Promise};
use crate::rules::patterns::generalize::{generalize, generalized, stacked};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G6: `α^G[X, a](α^G[X, b](r)) ⇔ α^G[X, a](r)` when a > b and |X| = 1.
///
/// The levels of one column are a chain, and the lowest level that keeps a is not below the lowest that keeps b: going there in two
/// steps or in one is the same. Every measure of loss grows along the chain, so each takes the lowest level. The promises may
/// differ in k only and must be k-anonymity. With suppression the rule fails: rows that the weaker step left out cannot return.
/// Labels that are made from the data name values of at least k rows only, so the two steps would show other labels: there it is refused.
///
/// Schema: X is text on both sides. From right to left b is free; the rule takes a − 1.
#[derive(Debug)]
pub(super) struct StrongerAgain;

static CARD: Card = Card {
    id: "G6",
    statement: "α^G[X, a](α^G[X, b](r)) ⇔ α^G[X, a](r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "a > b, |X| = 1; k-anonymity only, no suppression, the same measure of loss, one level per column; labels that do not depend on the data.",
    source: source!("not with suppression, not with labels that are made from the data"),
    example: "X = {day}, a = 5, b = 3 on six donors: six times Q1 on both sides.",
};

impl Rule for StrongerAgain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        let because = "the levels of one column are a chain, and the stronger promise needs the higher one";
        match way {
            Way::LeftToRight => {
                let Some((outer, inner, relation)) = stacked(plan) else { return Ok(Attempt::NoMatch) };
                if outer.quasi != inner.quasi
                    || outer.quasi.is_empty()
                    || outer.promise.k() <= inner.promise.k()
                {
                    return Ok(Attempt::NoMatch);
                }
                match condition(outer, &inner.promise, relation, facts) {
                    Err(because) => refused(because),
                    Ok(()) => {
                        equivalent(generalize(relation.clone(), &outer.quasi, &outer.promise)?, because)
                    }
                }
            }
            Way::RightToLeft => {
                let Some((what, relation)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                if what.quasi.is_empty() || what.promise.k() < 2 {
                    return Ok(Attempt::NoMatch);
                }
                let weaker = what.promise.with_k(what.promise.k() - 1);
                match condition(what, &weaker, relation, facts) {
                    Err(because) => refused(because),
                    Ok(()) => {
                        let inner = generalize(relation.clone(), &what.quasi, &weaker)?;
                        equivalent(generalize(inner, &what.quasi, &what.promise)?, because)
                    }
                }
            }
        }
    }
}

fn condition(
    outer: &Generalization,
    inner: &Promise,
    relation: &LogicalPlan,
    facts: &dyn Facts,
) -> Condition {
    require(outer.quasi.len() == 1, || {
        "with several columns the two sides may choose other levels; that is G7".to_owned()
    })?;
    stronger_only(&outer.promise, inner)?;
    is_a_function(inner)?;
    match outer.quasi.first().and_then(|column| facts.labels_from_data(relation, column)) {
        Some(false) => Ok(()),
        Some(true) => Err(
            "the labels are made from the values that occur and name frequent ones only: the weaker promise makes other labels".to_owned(),
        ),
        None => Err("it is not known whether the labels are made from the data".to_owned()),
    }
}

/// The promises are k-anonymity without suppression and differ in k only.
pub(super) fn stronger_only(outer: &Promise, inner: &Promise) -> Condition {
    require(outer.same_but_for_k(inner), || "the two promises differ in more than k".to_owned())?;
    one_level_per_column(outer)?;
    k_anonymity_only(outer)?;
    without_suppression(outer)
}
