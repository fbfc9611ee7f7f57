//! S2: the same slicing twice.

use crate::operator::Slice;
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::slice::{different_buckets, different_demands, groups, nested, overlapping, slice};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// The same slicing twice.
#[derive(Debug)]
pub(super) struct Twice;

static CARD: Card = Card {
    id: "S2",
    statement: "α^S_V(α^S_V(r)) ⇔ α^S_V(r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "the same buckets in both applications: the same windows, the same column, or the same classes where all \
        that decides them is in one group and no row is suppressed; groups may not overlap",
    source: SOURCE,
    example: "V = {A}, {BC} on (01.01., 00, +), (05.01., A0, -) | (20.03., A0, +), (25.03., B0, -), buckets of two: \
        four results with probability 1/4 each, after one application and after two",
};

impl Rule for Twice {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let (outer, inner) = match way {
            Way::LeftToRight => match nested(plan) {
                Some(both) => both,
                None => return Ok(Attempt::NoMatch),
            },
            Way::RightToLeft => match slice(plan) {
                Some(node) => (node, node),
                None => return Ok(Attempt::NoMatch),
            },
        };
        if groups(outer)? != groups(inner)? {
            return Ok(Attempt::NoMatch);
        }
        let obstacle =
            overlapping(outer).or_else(|| overlapping(inner)).or_else(|| different_demands(outer, inner));
        if let Some(why) = obstacle.or(different_buckets(outer, inner)?) {
            return refused(why);
        }
        let mut what = outer.what().clone();
        let input = match way {
            Way::LeftToRight => inner.input().clone(),
            Way::RightToLeft => {
                what.draw = outer.what().draw.part(1);
                let first = Slice::plan(outer.input().clone(), what.clone())?;
                what.draw = outer.what().draw.part(0);
                first
            }
        };
        equivalent(Slice::plan(input, what)?, "a uniform permutation of a uniform permutation is one")
    }
}
