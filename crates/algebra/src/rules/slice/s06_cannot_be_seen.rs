//! S6: slicing that cannot be seen.

use crate::rules::outcome::{SOURCE, also_distinct, equivalent, refused};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::slice::{guards, overlapping, projects_slices, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing that cannot be seen.
#[derive(Debug)]
pub(super) struct CannotBeSeen;

static CARD: Card = Card {
    id: "S6",
    statement: "π_Y r ⇐ π_Y(α^S_V(r))",
    direction: Direction::RightToLeft,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "Y lies inside one group; holds for projections that drop duplicates, too; groups may not overlap; a slicing that is held to limits \
        stays where several columns are seen, because it looks for rows that are alone with them",
    source: SOURCE,
    example: "V = {A}, {BCD}, Y = {B, C}: (00, +), (A0, -), (A0, +) without any slicing",
};

impl Rule for CannotBeSeen {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The left side has no operator: nothing says which slicing to add, so it never matches.
        if way == Way::LeftToRight {
            return Ok(Attempt::NoMatch);
        }
        also_distinct(plan, unseen)
    }
}

fn unseen(plan: &LogicalPlan) -> Result<Attempt> {
    let pi = match Projected::of(plan) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return if projects_slices(plan) { refused(why) } else { Ok(Attempt::NoMatch) },
        Some(Ok(pi)) => pi,
    };
    let Some(node) = slice(pi.input()) else { return Ok(Attempt::NoMatch) };
    if let Some(why) = overlapping(node) {
        return refused(why);
    }
    let mut seen = 0;
    for group in &node.what().groups {
        let kept = group.iter().map(|column| pi.above(column)).collect::<Result<Vec<_>>>()?;
        seen += usize::from(kept.iter().any(Option::is_some));
    }
    let columns = plan.schema().fields().len();
    match (seen, guards(node, columns)) {
        (0 | 1, Some(why)) => refused(why),
        (0 | 1, None) => {
            equivalent(pi.over(node.input().clone())?, "the projection keeps columns of a single group")
        }
        (groups, _) => refused(format!("the projection keeps columns of {groups} groups")),
    }
}
