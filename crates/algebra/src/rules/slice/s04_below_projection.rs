//! S4: slicing below a projection.

use crate::operator::{Slice, Slicing};
use crate::rules::outcome::{SOURCE, equivalent, refused, wrong_way};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::slice::{buckets_with, overlapping, sensitive_once, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing below a projection.
#[derive(Debug)]
pub(super) struct BelowProjection;

static CARD: Card = Card {
    id: "S4",
    statement: "α^S_{X1..Xn}(π_Y r) ⇒ π_Y(α^S_{X1..Xn, R∖Y}(r))",
    direction: Direction::LeftToRight,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y = ∪ Xi; R∖Y is left out where it is empty; the projection keeps duplicates; the buckets do not depend \
        on columns that are projected away; groups may not overlap",
    source: SOURCE,
    example: "Y = {A, B}, V = {A}, {B} over R = ABCD: {A}, {B}, {CD} below; three results on both sides for a bucket of \
        (01.01., 00), (05.01., A0), (20.03., A0)",
};

impl Rule for BelowProjection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        if way == Way::RightToLeft {
            return match Projected::of(plan) {
                Some(Ok(pi)) if slice(pi.input()).is_some() => wrong_way(&CARD, "S5 is the rule for it"),
                _ => Ok(Attempt::NoMatch),
            };
        }
        let Some(node) = slice(plan) else { return Ok(Attempt::NoMatch) };
        let pi = match Projected::of(node.input()) {
            None => return Ok(Attempt::NoMatch),
            Some(Err(why)) => return refused(why),
            Some(Ok(pi)) => pi,
        };
        let obstacle = overlapping(node).or_else(|| {
            let limited = node.what().demands.limits.demand_anything();
            limited.then(|| {
                "it is held to limits, and below the projection columns would count that never leave"
                    .to_owned()
            })
        });
        if let Some(why) =
            obstacle.or_else(|| sensitive_once(node.what(), &[node.input().schema(), pi.input().schema()]))
        {
            return refused(why);
        }
        let Some(buckets) = buckets_with(&node.what().buckets, |column| {
            // A column that the projection does not have cannot decide the buckets above it.
            if node.input().schema().has_column(column) { pi.below(column).map(Some) } else { Ok(None) }
        })?
        else {
            return refused("the buckets depend on a column that the relation does not have");
        };
        let groups = node.what().groups.iter();
        let groups =
            groups.map(|group| group.iter().map(|column| pi.below(column)).collect::<Result<Vec<_>>>());
        let mut groups = groups.collect::<Result<Vec<_>>>()?;
        let dropped = pi.dropped();
        if !dropped.is_empty() {
            groups.push(dropped);
        }
        let below = Slice::plan(pi.input().clone(), Slicing { groups, buckets, ..node.what().clone() })?;
        equivalent(
            pi.over(below)?,
            "the projection keeps every row, and the other columns are a group of their own",
        )
    }
}
