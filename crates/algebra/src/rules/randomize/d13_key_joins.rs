//! D13: noise and joins on a key.

use crate::operator::{Noise, Randomize};
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::columns::{column_at, place};
use crate::rules::patterns::join::{EquiJoin, Side};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::randomize::{randomize, read_off_column};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::LogicalPlan;

/// Noise and joins on a key.
#[derive(Debug)]
pub(super) struct KeyJoins;

static CARD: Card = Card {
    id: "D13",
    statement: "α^D_{P1 ∪ P2}(π_R(r1 ⋈_ID r2)) ⇔ π_R(α^D_P1(r1) ⋈_ID α^D_P2(r2))",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(P1) ⊆ R1, attr(P2) ⊆ R2, ID is not randomised and is a key of r1 and of r2 (rows without a partner \
        are allowed; the right side randomises them, too, and stops at a value outside of the noise's domain); no distribution is read off the column (rows without a partner would count in it); the \
        projection keeps duplicates",
    source: SOURCE,
    example: "P1 = {(A, 0.16)}, P2 = {(B, 0.5)}, r1(ID, A), r2(ID, B): equal, also with dangling rows. Counter-example \
        without the key: copies of one row would share their noise",
};

impl Rule for KeyJoins {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => into_sides(plan, facts),
            Way::RightToLeft => out_of_sides(plan, facts),
        }
    }
}

/// π_R(r1 ⋈ r2), where π_R may be missing: then R is all of the join.
enum Shape<'a> {
    Plain(EquiJoin<'a>),
    Projected(Projected<'a>, EquiJoin<'a>),
}

impl<'a> Shape<'a> {
    fn of(plan: &'a LogicalPlan) -> Option<Result<Shape<'a>, String>> {
        if let Some(join) = EquiJoin::of(plan) {
            return Some(join.map(Shape::Plain));
        }
        let pi = match Projected::of(plan)? {
            Ok(pi) => pi,
            Err(why) => return plan.inputs().first().and_then(|input| EquiJoin::of(input)).map(|_| Err(why)),
        };
        let join = EquiJoin::of(pi.input())?;
        Some(join.map(|join| Shape::Projected(pi, join)))
    }

    fn join(&self) -> &EquiJoin<'a> {
        match self {
            Shape::Plain(join) | Shape::Projected(_, join) => join,
        }
    }

    fn origin(&self, column: &Column) -> Result<(Side, Column)> {
        match self {
            Shape::Plain(join) => join.origin(column),
            Shape::Projected(pi, join) => join.origin(&pi.below(column)?),
        }
    }

    fn over(&self, left: LogicalPlan, right: LogicalPlan) -> Result<LogicalPlan> {
        let joined = self.join().over(left, right)?;
        match self {
            Shape::Plain(_) => Ok(joined),
            Shape::Projected(pi, _) => pi.over(joined),
        }
    }
}

/// A relation, its join columns and its noise.
type NoisySide<'a> = (&'a LogicalPlan, &'a [Column], &'a [(Column, Noise)]);

/// Why the two relations may not be randomised one by one.
fn obstacle(join: &EquiJoin<'_>, sides: [NoisySide<'_>; 2], facts: &dyn Facts) -> Result<Option<String>> {
    for (relation, on, noise) in sides {
        for (column, _) in noise {
            let at = place(relation.schema(), column)?;
            for id in on {
                if place(relation.schema(), id)? == at {
                    return Ok(Some(format!(
                        "{} is a join column and randomised: partners would be lost",
                        id.name
                    )));
                }
            }
        }
    }
    for ((relation, on, _), side) in sides.into_iter().zip(["left", "right"]) {
        match facts.is_key(relation, on) {
            Some(true) => {}
            Some(false) => {
                return Ok(Some(format!(
                    "the join columns are no key of the {side} relation: copies of one row would share their noise"
                )));
            }
            None => {
                return Ok(Some(format!(
                    "nobody knows whether the join columns are a key of the {side} relation"
                )));
            }
        }
    }
    // Two rows without a value are no key violation, but with this comparison they would pair.
    Ok(join.pairs_missing().then(|| "the join pairs rows whose join columns are missing".to_owned()))
}

fn into_sides(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let Some(node) = randomize(plan) else { return Ok(Attempt::NoMatch) };
    let shape = match Shape::of(node.input()) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(shape)) => shape,
    };
    if let Some(why) = read_off_column(node) {
        return refused(why);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (column, noise) in &node.what().noise {
        match shape.origin(column)? {
            (Side::Left, column) => left.push((column, noise.clone())),
            (Side::Right, column) => right.push((column, noise.clone())),
        }
    }
    let join = shape.join();
    let sides = [
        (join.left(), join.left_on.as_slice(), left.as_slice()),
        (join.right(), join.right_on.as_slice(), right.as_slice()),
    ];
    if let Some(why) = obstacle(join, sides, facts)? {
        return refused(why);
    }
    let draw = node.what().draw;
    let side = |relation: &LogicalPlan, noise: Vec<(Column, Noise)>, part| match noise.is_empty() {
        true => Ok(relation.clone()),
        false => Randomize::plan(relation.clone(), noise, draw.part(part)),
    };
    let plan = shape.over(side(join.left(), left, 0)?, side(join.right(), right, 1)?)?;
    equivalent(plan, "the join columns are a key of both relations, so no row is copied")
}

fn out_of_sides(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let shape = match Shape::of(plan) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => {
            return if crate::rules::patterns::randomize::joins_noise(plan) { refused(why) } else { Ok(Attempt::NoMatch) };
        }
        Some(Ok(shape)) => shape,
    };
    let join = shape.join();
    let (left, right) = (randomize(join.left()), randomize(join.right()));
    let Some(first) = left.or(right) else { return Ok(Attempt::NoMatch) };
    let relation = |node: Option<&'_ Randomize>, side: &LogicalPlan| match node {
        Some(node) => (node.input().clone(), node.what().noise.clone()),
        None => (side.clone(), Vec::new()),
    };
    let ((left_input, left_noise), (right_input, right_noise)) =
        (relation(left, join.left()), relation(right, join.right()));
    let sides = [
        (&left_input, join.left_on.as_slice(), left_noise.as_slice()),
        (&right_input, join.right_on.as_slice(), right_noise.as_slice()),
    ];
    if let Some(why) = left.and_then(read_off_column).or_else(|| right.and_then(read_off_column)) {
        return refused(why);
    }
    if let Some(why) = obstacle(join, sides, facts)? {
        return refused(why);
    }
    let width = left_input.schema().fields().len();
    let mut places = Vec::new();
    for (column, noise) in &left_noise {
        places.push((place(left_input.schema(), column)?, noise.clone()));
    }
    for (column, noise) in &right_noise {
        places.push((width + place(right_input.schema(), column)?, noise.clone()));
    }
    let joined_schema = match &shape {
        Shape::Plain(_) => plan.schema(),
        Shape::Projected(pi, _) => pi.input().schema(),
    };
    let mut noise = Vec::new();
    for (at, own) in places {
        let column = column_at(joined_schema, at);
        let kept = match &shape {
            Shape::Plain(_) => Some(column),
            Shape::Projected(pi, _) => pi.above(&column)?,
        };
        noise.extend(kept.map(|kept| (kept, own)));
    }
    let whole = shape.over(left_input, right_input)?;
    let plan = if noise.is_empty() { whole } else { Randomize::plan(whole, noise, first.what().draw)? };
    equivalent(plan, "the join columns are a key of both relations, so no row is copied")
}
