//! S9: slicing and joins on a key.

use super::windows::Windows;
use crate::operator::{Buckets, Slice, Slicing};
use crate::rules::outcome::{SOURCE, equivalent, partially, refused};
use crate::rules::patterns::columns::place;
use crate::rules::patterns::join::{EquiJoin, Side};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::selection::filtered;
use crate::rules::patterns::slice::{OF_VALUES, different_demands, groups, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::collections::BTreeSet;

/// Slicing and joins on a key.
#[derive(Debug)]
pub(super) struct KeyJoins;

static CARD: Card = Card {
    id: "S9",
    statement: "α^S_V(π_R(r1 ⋈_ID r2)) ≈ π_R(α^S_{V1, ID}(r1) ⋈_ID α^S_{V2, ID}(r2))",
    direction: Direction::Both,
    kind: Kind::EquivalentOrPartially,
    safe: Safe::Yes,
    condition: "ID is a key of both, without missing values, with the same IDs on both sides; R is all but ID; V = V1 ∪ \
        V2 without a group across r1 and r2; ID is a group of its own; buckets are windows. Equivalent only where \
        both sides use the same buckets of IDs, which is sure for a single bucket; else partially. Groups may not \
        overlap",
    source: SOURCE,
    example: "V = {A}, {B}, r1(ID, A), r2(ID, B) with IDs 1 to 4: equal with the same buckets of IDs on both sides, not \
        with different ones",
};

impl Rule for KeyJoins {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => into_sides(plan, facts),
            Way::RightToLeft => out_of_sides(plan, facts),
        }
    }
}

const ACROSS: &str = "every group keeps its values; the two sides may use different buckets of IDs";

/// Why the IDs of two relations do not pair one to one.
fn obstacle(
    join: &EquiJoin<'_>,
    left: &LogicalPlan,
    right: &LogicalPlan,
    facts: &dyn Facts,
) -> Result<Option<String>> {
    let sides = [(left, join.left_on.as_slice()), (right, join.right_on.as_slice())];
    for ((relation, ids), side) in sides.into_iter().zip(["left", "right"]) {
        if facts.is_key(relation, ids) != Some(true) {
            return Ok(Some(format!("the join columns are not known to be a key of the {side} relation")));
        }
        // A row without an ID finds no partner, and slicing would give its place to another row.
        for id in ids {
            let nullable = relation.schema().field(place(relation.schema(), id)?).is_nullable();
            let missing = Expr::Column(id.clone()).is_null();
            if nullable && facts.rows(&filtered(&missing, relation.clone())?) != Some(0) {
                return Ok(Some(format!(
                    "{} of the {side} relation is not known to be there in every row",
                    id.name
                )));
            }
        }
    }
    let [one, other] = sides;
    let same = facts.contained(one, other) == Some(true) && facts.contained(other, one) == Some(true);
    Ok((!same).then(|| "the two relations are not known to have the same IDs".to_owned()))
}

/// Whether all rows are in one bucket, on both sides.
fn single_bucket(buckets: &Buckets, left: &LogicalPlan, facts: &dyn Facts) -> bool {
    match (buckets, facts.rows(left)) {
        (Buckets::Count(1), _) => true,
        (_, Some(rows)) => Windows::of(rows, buckets).is_some_and(|windows| windows.is_single()),
        _ => false,
    }
}

fn by_windows(buckets: &Buckets) -> bool {
    matches!(buckets, Buckets::Count(_) | Buckets::Size(_))
}

fn into_sides(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let Some(node) = slice(plan) else { return Ok(Attempt::NoMatch) };
    let pi = match Projected::of(node.input()) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return if over_join(node.input()) { refused(why) } else { Ok(Attempt::NoMatch) },
        Some(Ok(pi)) => pi,
    };
    let join = match EquiJoin::of(pi.input()) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(join)) => join,
    };
    if let Some(why) = overlapping(node).or(only_ids_dropped(&pi, &join)?) {
        return refused(why);
    }
    let what = node.what();
    if what.demands.of_values() {
        return refused(OF_VALUES);
    }
    if !by_windows(&what.buckets) {
        return refused("the buckets depend on columns that one of the sides does not have");
    }
    if let Some(why) = obstacle(&join, join.left(), join.right(), facts)? {
        return refused(why);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for group in &what.groups {
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        for column in group {
            match join.origin(&pi.below(column)?)? {
                (Side::Left, column) => mine.push(column),
                (Side::Right, column) => theirs.push(column),
            }
        }
        match (mine.is_empty(), theirs.is_empty()) {
            (false, true) => left.push(mine),
            (true, false) => right.push(theirs),
            _ => return refused("a group has columns of both relations"),
        }
    }
    left.push(join.left_on.clone());
    right.push(join.right_on.clone());
    let side = |relation: &LogicalPlan, groups, part| {
        Slice::plan(relation.clone(), Slicing { groups, draw: what.draw.part(part), ..what.clone() })
    };
    let plan = pi.over(join.over(side(join.left(), left, 0)?, side(join.right(), right, 1)?)?)?;
    match single_bucket(&what.buckets, join.left(), facts) {
        true => equivalent(plan, "all rows are in one bucket on both sides"),
        false => partially(plan, Safe::Yes, ACROSS),
    }
}

fn out_of_sides(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let pi = match Projected::of(plan) {
        Some(Ok(pi)) => pi,
        _ => return Ok(Attempt::NoMatch),
    };
    let join = match EquiJoin::of(pi.input()) {
        Some(Ok(join)) => join,
        _ => return Ok(Attempt::NoMatch),
    };
    let (Some(left), Some(right)) = (slice(join.left()), slice(join.right())) else {
        return Ok(Attempt::NoMatch);
    };
    let own = overlapping(left).or_else(|| overlapping(right)).or_else(|| different_demands(left, right));
    if let Some(why) = own.or(only_ids_dropped(&pi, &join)?) {
        return refused(why);
    }
    let what = left.what();
    if !by_windows(&what.buckets) {
        return refused("the buckets depend on columns that one of the sides does not have");
    }
    if what.buckets != right.what().buckets || what.least_rows != right.what().least_rows {
        return refused(
            "the two relations are sliced into different buckets; nothing says which the result should have",
        );
    }
    let (Some(mut together), Some(theirs)) =
        (without_ids(left, &join.left_on)?, without_ids(right, &join.right_on)?)
    else {
        return refused("the join columns are not a group of their own on both sides");
    };
    if let Some(why) = obstacle(&join, left.input(), right.input(), facts)? {
        return refused(why);
    }
    let width = left.input().schema().fields().len();
    together.extend(theirs.into_iter().map(|group| group.into_iter().map(|place| width + place).collect()));
    let mut groups = Vec::new();
    for group in together {
        let columns =
            group.into_iter().map(|at| crate::rules::patterns::columns::column_at(pi.input().schema(), at));
        let columns = columns.map(|column| pi.above(&column)).collect::<Result<Vec<_>>>()?;
        groups.push(columns.into_iter().flatten().collect());
    }
    let whole = pi.over(join.over(left.input().clone(), right.input().clone())?)?;
    let plan = Slice::plan(whole, Slicing { groups, ..what.clone() })?;
    match single_bucket(&what.buckets, left.input(), facts) {
        true => equivalent(plan, "all rows are in one bucket on both sides"),
        false => partially(plan, Safe::Yes, ACROSS),
    }
}

/// The groups by place, without the one of the IDs; `None` where the IDs are not a group of their own.
fn without_ids(node: &Slice, ids: &[Column]) -> Result<Option<Vec<BTreeSet<usize>>>> {
    let ids = ids.iter().map(|id| place(node.input().schema(), id)).collect::<Result<BTreeSet<_>>>()?;
    let mut groups = groups(node)?;
    Ok(groups.remove(&ids).then(|| groups.into_iter().collect()))
}

/// Why R is not all but the IDs.
fn only_ids_dropped(pi: &Projected<'_>, join: &EquiJoin<'_>) -> Result<Option<String>> {
    let (mut dropped, mut ids) = (0, 0);
    for column in pi.dropped() {
        dropped += 1;
        ids += usize::from(match join.origin(&column)? {
            (Side::Left, column) => join.left_on.contains(&column),
            (Side::Right, column) => join.right_on.contains(&column),
        });
    }
    Ok(if ids < join.left_on.len() + join.right_on.len() {
        Some("the join columns are kept: a released ID would show who was in a bucket with whom".to_owned())
    } else if ids < dropped {
        Some("the projection drops more than the join columns".to_owned())
    } else {
        None
    })
}

fn over_join(plan: &LogicalPlan) -> bool {
    let mut plan = plan;
    while let (LogicalPlan::Projection(_) | LogicalPlan::Distinct(_), Some(input)) =
        (plan, plan.inputs().first())
    {
        plan = input;
    }
    EquiJoin::of(plan).is_some()
}
