//! S7: slicing does not move past a selection.

use crate::operator::Buckets;
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::columns::place;
use crate::rules::patterns::selection::{filtered, read_by};
use crate::rules::patterns::slice::{over, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Slicing does not move past a selection.
#[derive(Debug)]
pub(super) struct NotPastSelection;

static CARD: Card = Card {
    id: "S7",
    statement: "α^S_V(σ_F r) ≠ σ_F(α^S_V(r))",
    direction: Direction::None,
    kind: Kind::None,
    safe: Safe::No,
    condition: "does not hold. Where it is asked for by name it is used in the one case in which both sides are the same: F is constant on \
        every bucket (buckets by a column, F reads that column alone), and groups do not overlap",
    source: SOURCE,
    example: "a bucket of (01.01., 00), (05.01., 00), (31.01., B0), V = {A}, {B}, F: B ≠ B0: the left \
        side is always {01.01. 00, 05.01. 00}, the right side only with probability 1/3",
};

impl Rule for NotPastSelection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let (node, filter) = match (way, plan) {
            (Way::LeftToRight, plan) => match slice(plan).map(|node| (node, node.input())) {
                Some((node, LogicalPlan::Filter(filter))) => (node, filter),
                _ => return Ok(Attempt::NoMatch),
            },
            (Way::RightToLeft, LogicalPlan::Filter(filter)) => match slice(&filter.input) {
                Some(node) => (node, filter),
                None => return Ok(Attempt::NoMatch),
            },
            _ => return Ok(Attempt::NoMatch),
        };
        if let Some(why) = overlapping(node) {
            return refused(why);
        }
        let read = match read_by(&filter.predicate, node.input().schema()) {
            Ok(read) => read,
            Err(why) => return refused(why),
        };
        let constant = match &node.what().buckets {
            Buckets::By(column) => {
                let by = place(node.input().schema(), column)?;
                read.iter().all(|place| *place == by)
            }
            _ => false,
        };
        if !constant {
            return refused(
                "the selection is not constant on every bucket, so it keeps rows by values that slicing moves: a bucket of \
                 (01.01., 00), (05.01., 00), (31.01., B0) and B ≠ B0 give another result in two of three cases",
            );
        }
        let plan = match way {
            Way::LeftToRight => filtered(&filter.predicate, over(node, (*filter.input).clone())?)?,
            Way::RightToLeft => over(node, filtered(&filter.predicate, node.input().clone())?)?,
        };
        equivalent(plan, "the selection keeps or drops whole buckets")
    }
}
