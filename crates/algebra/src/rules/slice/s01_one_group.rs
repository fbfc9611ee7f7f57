//! S1: slicing into one group.

use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::slice::{guards, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing into one group.
#[derive(Debug)]
pub(super) struct OneGroup;

static CARD: Card = Card {
    id: "S1",
    statement: "α^S_{X1}(r) ⇔ r",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "one group; groups may not overlap; a slicing that is held to limits \
        stays where several columns are seen, because it looks for rows that are alone with them",
    source: SOURCE,
    example: "V = {ABC} on four rows in buckets of two: the relation as it is, as a bag",
};

impl Rule for OneGroup {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        // The right side is a bare relation: nothing says which buckets to use, so it never matches.
        let (Some(node), Way::LeftToRight) = (slice(plan), way) else { return Ok(Attempt::NoMatch) };
        let columns = node.input().schema().fields().len();
        if let Some(why) = overlapping(node) {
            return refused(why);
        }
        match (node.what().groups.len(), guards(node, columns)) {
            (1, Some(why)) => refused(why),
            (1, None) => equivalent(node.input().clone(), "rows of a single group only change their order"),
            (groups, _) => refused(format!("there are {groups} groups, which are mixed with each other")),
        }
    }
}
