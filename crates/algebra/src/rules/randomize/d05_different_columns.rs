//! D5: noise on different columns, in any order or at once.

use crate::operator::Randomize;
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::columns::place;
use crate::rules::patterns::randomize::{nested, randomize};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Noise on different columns, in any order or at once.
#[derive(Debug)]
pub(super) struct DifferentColumns;

static CARD: Card = Card {
    id: "D5",
    statement: "α^D_P1(α^D_P2(r)) ⇔ α^D_{P1 ∪ P2}(r), and in either order",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(P1) ∩ attr(P2) = ∅; a distribution depends on its own column only, which holds for those that are \
        read off the column as well. Read from right to left, the first column is split off",
    source: SOURCE,
    example: "P1 = {(A, 0.16)}, P2 = {(B, 0.5)}: the same as {(A, 0.16), (B, 0.5)} at once",
};

impl Rule for DifferentColumns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => merge(plan),
            Way::RightToLeft => split(plan),
        }
    }
}

fn merge(plan: &LogicalPlan) -> Result<Attempt> {
    let Some((outer, inner)) = nested(plan) else { return Ok(Attempt::NoMatch) };
    let schema = inner.input().schema();
    let mut noise = inner.what().noise.clone();
    for (column, own) in &outer.what().noise {
        let at = place(schema, column)?;
        for first in inner.what().columns() {
            if place(schema, first)? == at {
                return refused(format!(
                    "{} is randomised by both operators; D7 may combine them",
                    column.name
                ));
            }
        }
        noise.push((column.clone(), own.clone()));
    }
    let plan = Randomize::plan(inner.input().clone(), noise, outer.what().draw)?;
    equivalent(plan, "no column is randomised by both operators")
}

fn split(plan: &LogicalPlan) -> Result<Attempt> {
    let Some(node) = randomize(plan) else { return Ok(Attempt::NoMatch) };
    let what = node.what();
    match what.noise.split_first() {
        Some((first, rest)) if !rest.is_empty() => {
            let inner = Randomize::plan(node.input().clone(), rest.to_vec(), what.draw.part(1))?;
            let plan = Randomize::plan(inner, vec![first.clone()], what.draw.part(0))?;
            equivalent(plan, "cells of different columns are redrawn independently")
        }
        _ => Ok(Attempt::NoMatch),
    }
}
