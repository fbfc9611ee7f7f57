//! G16: a generalization below a join.

use super::conditions::{
    Condition, enough_rows, has_protected, k_anonymity_only, require, without_subset, without_suppression,
};
use super::source;
use crate::rules::outcome::{partially, refused};
use crate::operator::Generalization;
use crate::rules::patterns::generalize::{generalize, generalized};
use crate::rules::patterns::join::{EquiJoin, Side};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// G16: `α^G[X, a](r1 ⋈_Y r2) ≈ α^G[X, a](r1) ⋈_Y r2`, left to right and with a check.
///
/// Needs X ⊆ R1, X ∩ Y = ∅ and a partner in r2 for every row of r1: rows without one would vanish from their classes. Then every
/// class of r1 comes out at least as large as it went in. It still has to be checked again: classes are rows and not people (a 1:n
/// join multiplies one person's rows), and Y stays visible and may identify. Joins multiply rows unevenly, so for models beyond
/// k-anonymity nothing is known, and with suppression the sides leave out different rows: there the rule refuses. r1 itself must
/// have a rows. X may also be in the second relation; joins commute.
///
/// Schema: X is text on both sides, and is not joined on.
#[derive(Debug)]
pub(super) struct BelowJoin;

static CARD: Card = Card {
    id: "G16",
    statement: "α^G[X, a](r1 ⋈_Y r2) ≈ α^G[X, a](r1) ⋈_Y r2",
    direction: Direction::LeftToRight,
    kind: Kind::PartiallyEquivalent,
    safe: Safe::AfterCheck,
    condition: "X ⊆ R1, X ∩ Y = ∅; an inner join on equal columns Y; every row of r1 has a partner, |r1| ≥ a; k-anonymity only, no \
        suppression.",
    source: source!("every row of r1 needs a partner, and the result must be checked again"),
    example: "r1(day, v) = (01.01., 1), (05.01., 1), (31.01., 2), (20.03., 2), (25.03., 3), (31.03., 3), r2(v, group) = (1, 00), (1, A0), (2, B0), (3, A0), k = 3: months on both sides. \
              With r2 = (1, 00), (3, A0) rows vanish and the right side has classes of 2.",
};

impl Rule for BelowJoin {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::RightToLeft {
            let generalized_side = |join: EquiJoin<'_>| {
                Side::BOTH.into_iter().any(|side| generalized(join.relation(side)).is_some())
            };
            let join = EquiJoin::of(plan).and_then(|join| join.ok());
            return match join.is_some_and(generalized_side) {
                true => refused(
                    "the class sizes of the joined rows say nothing about the people of the first relation",
                ),
                false => Ok(Attempt::NoMatch),
            };
        }
        let Some((what, below)) = generalized(plan) else { return Ok(Attempt::NoMatch) };
        let Some(Ok(join)) = EquiJoin::of(below) else { return Ok(Attempt::NoMatch) };
        let Some(side) = join.side_with(&what.quasi) else {
            return refused("the generalized columns come from both relations");
        };
        match condition(what, &join, side, facts) {
            Err(because) => refused(because),
            Ok(()) => {
                let inner = generalize(join.relation(side).clone(), &what.quasi, &what.promise)?;
                partially(
                    join.with(side, inner)?,
                    Safe::AfterCheck,
                    "every row has a partner, so no class shrinks; rows are not people, and the join columns stay visible: check \
                        the result",
                )
            }
        }
    }
}

fn condition(what: &Generalization, join: &EquiJoin<'_>, side: Side, facts: &dyn Facts) -> Condition {
    let (relation, partners) = (join.relation(side), join.relation(side.other()));
    require(!what.quasi.iter().any(|column| join.joins_on(column)), || {
        "a generalized column is joined on, and labels find no partner".to_owned()
    })?;
    k_anonymity_only(&what.promise)?;
    without_suppression(&what.promise)?;
    without_subset(&what.promise)?;
    has_protected(&what.promise, relation.schema())?;
    let contained = facts.contained((relation, join.columns(side)), (partners, join.columns(side.other())));
    match contained {
        Some(true) => {}
        Some(false) => {
            return Err(format!(
                "some rows have no partner and would vanish from their classes. {}",
                CARD.example
            ));
        }
        None => {
            return Err("it is not known whether every row has a partner in the other relation".to_owned());
        }
    }
    enough_rows(facts, relation, &what.promise, "the generalized relation")
}
