//! S5: slicing above a projection.

use crate::operator::{Slice, Slicing};
use crate::rules::outcome::{SOURCE, equivalent, refused, wrong_way};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::slice::{buckets_with, overlapping, projects_slices, sensitive_once, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing above a projection.
#[derive(Debug)]
pub(super) struct AboveProjection;

static CARD: Card = Card {
    id: "S5",
    statement: "α^S_VX(π_Z r) ⇐ π_Z(α^S_VY(r)), VX = {A ∩ Z ≠ ∅ : A ∈ VY}",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "the projection keeps duplicates; the buckets do not depend on columns that are projected away; groups may \
        not overlap",
    source: SOURCE,
    example: "{A}, {BC}, {D} and Z = {A, B}: {A}, {B}; three results on both sides for a bucket of three rows",
};

impl Rule for AboveProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::LeftToRight {
            return match slice(plan).map(|node| Projected::of(node.input())) {
                Some(Some(_)) => wrong_way(&CARD, "S4 is the rule for it"),
                _ => Ok(Attempt::NoMatch),
            };
        }
        let pi = match Projected::of(plan) {
            None => return Ok(Attempt::NoMatch),
            Some(Err(why)) => return if projects_slices(plan) { refused(why) } else { Ok(Attempt::NoMatch) },
            Some(Ok(pi)) => pi,
        };
        let Some(node) = slice(pi.input()) else { return Ok(Attempt::NoMatch) };
        let obstacle = overlapping(node);
        if let Some(why) =
            obstacle.or_else(|| sensitive_once(node.what(), &[plan.schema(), node.input().schema()]))
        {
            return refused(why);
        }
        let Some(buckets) = buckets_with(&node.what().buckets, |column| pi.above(column))? else {
            return refused("the buckets depend on a column that is projected away");
        };
        let mut groups = Vec::new();
        for group in &node.what().groups {
            let mut kept = Vec::new();
            for column in group {
                kept.extend(pi.above(column)?);
            }
            if !kept.is_empty() {
                groups.push(kept);
            }
        }
        let projected = pi.over(node.input().clone())?;
        let plan = Slice::plan(projected, Slicing { groups, buckets, ..node.what().clone() })?;
        equivalent(plan, "the projection keeps every row, and columns outside of it cannot be seen")
    }
}
