//! G17: a generalization below a join on keys.

use super::conditions::{Condition, has_protected, is_a_function, require, same_order};
use super::source;
use crate::rules::outcome::{equivalent, refused};
use crate::operator::Generalization;
use crate::rules::patterns::columns::subset;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::join::{EquiJoin, Side};
use crate::rules::patterns::projection::{project, projected};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// G17: `α^G[X, a](π_R(r1 ⋈_Y r2)) ⇔ π_R(α^G[X, a](r1) ⋈_Y r2)` when Y is a key of both with equal key sets, R = (R1 ∪ R2) \ Y and X ∩ Y = ∅.
///
/// Every row of r1 then meets exactly one of r2 and the other way round, so the joined rows have the values of X and of the
/// sensitive columns as often as r1 has them: the levels are the same, and the same rows are left out. That is so for every model
/// whose sensitive columns are in r1. Y must not come out: it would identify every row. R may also leave out more than Y, as long
/// as X and the sensitive columns stay. X may also be in the second relation; joins commute.
///
/// Schema: X ⊆ R is text on both sides, and is not joined on.
#[derive(Debug)]
pub(super) struct BelowKeyJoin;

static CARD: Card = Card {
    id: "G17",
    statement: "α^G[X, a](π_R(r1 ⋈_Y r2)) ⇔ π_R(α^G[X, a](r1) ⋈_Y r2)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y is a key of r1 and of r2, with equal key sets; R = (R1 ∪ R2) \\ Y, X ∩ Y = ∅, X and sensitive columns in R1; π keeps \
        duplicates.",
    source: source!("Y must be a key of both relations, and their key sets equal"),
    example: "Six donors split into r1(id, day) and r2(id, group, rhesus), k = 3: the same months both ways; id is dropped.",
};

impl Rule for BelowKeyJoin {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let Some((what, below)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
                let Some((columns, joined)) = projected(below) else { return Ok(Attempt::NoMatch) };
                let Some(Ok(join)) = EquiJoin::of(joined) else { return Ok(Attempt::NoMatch) };
                let Some(side) = join.side_with(&what.quasi) else {
                    return refused("the generalized columns come from both relations");
                };
                let relation = join.relation(side);
                match condition(what, below, &columns, (&join, side, relation), facts) {
                    Err(because) => refused(because),
                    Ok(()) => {
                        let inner = generalize(relation.clone(), &what.quasi, &what.promise)?;
                        equivalent(project(join.with(side, inner)?, &columns)?, BECAUSE)
                    }
                }
            }
            Way::RightToLeft => {
                let Some((columns, joined)) = projected(plan) else { return Ok(Attempt::NoMatch) };
                let Some(Ok(join)) = EquiJoin::of(joined) else { return Ok(Attempt::NoMatch) };
                let inner =
                    |side: Side| generalized(join.relation(side)).map(|(what, below)| (side, what, below));
                let Some((side, what, relation)) = Side::BOTH.into_iter().find_map(inner) else {
                    return Ok(Attempt::NoMatch);
                };
                match condition(what, plan, &columns, (&join, side, relation), facts) {
                    Err(because) => refused(because),
                    Ok(()) => {
                        let narrow = project(join.with(side, relation.clone())?, &columns)?;
                        equivalent(generalize(narrow, &what.quasi, &what.promise)?, BECAUSE)
                    }
                }
            }
        }
    }
}

const BECAUSE: &str =
    "every row meets exactly one partner, so values occur as often before the join as after it";

fn condition(
    what: &Generalization,
    narrow: &LogicalPlan,
    columns: &[Column],
    (join, side, relation): (&EquiJoin<'_>, Side, &LogicalPlan),
    facts: &dyn Facts,
) -> Condition {
    require(!columns.iter().any(|column| join.joins_on(column)), || {
        "the key that is joined on would come out and identify every row".to_owned()
    })?;
    require(!what.quasi.iter().any(|column| join.joins_on(column)), || {
        "a generalized column is joined on, and labels find no partner".to_owned()
    })?;
    require(subset(&what.quasi, columns), || "the projection drops columns that are generalized".to_owned())?;
    is_a_function(&what.promise)?;
    has_protected(&what.promise, relation.schema())?;
    has_protected(&what.promise, narrow.schema())?;
    same_order(&what.quasi, narrow.schema(), relation.schema())?;
    equal_keys(
        (relation, join.columns(side)),
        (join.relation(side.other()), join.columns(side.other())),
        facts,
    )
}

fn equal_keys(
    left: (&LogicalPlan, &[Column]),
    right: (&LogicalPlan, &[Column]),
    facts: &dyn Facts,
) -> Condition {
    for (relation, columns) in [left, right] {
        match facts.is_key(relation, columns) {
            Some(true) => {}
            Some(false) => {
                return Err("the columns that are joined on are no key of both relations".to_owned());
            }
            None => return Err("it is not known whether the columns that are joined on are a key".to_owned()),
        }
    }
    for (from, to) in [(left, right), (right, left)] {
        match facts.contained(from, to) {
            Some(true) => {}
            Some(false) => return Err("the relations have different keys, so rows would vanish".to_owned()),
            None => return Err("it is not known whether the relations have equal keys".to_owned()),
        }
    }
    Ok(())
}
