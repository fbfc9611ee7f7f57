//! D11: noise past a selection.

use crate::operator::Randomize;
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::columns::place;
use crate::rules::patterns::randomize::{over, randomize, read_off_column};
use crate::rules::patterns::selection::{filtered, read_by};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::{Filter, LogicalPlan};

/// Noise past a selection.
#[derive(Debug)]
pub(super) struct PastSelection;

static CARD: Card = Card {
    id: "D11",
    statement: "α^D_P(σ_F r) ⇔ σ_F(α^D_P(r))",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "attr(P) ∩ attr(F) = ∅; no distribution is read off the column (a selection changes what is read); F is \
        neither random nor has a subquery. (A value outside of the noise's domain in a row that F drops is an error on \
        the right side only)",
    source: SOURCE,
    example: "P = {(A, 0.5)}, F: B ≠ A0 on (01.01., 00), (02.01., A0): equal; with P on B instead it fails",
};

impl Rule for PastSelection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let (node, filter) = match (way, plan) {
            (Way::LeftToRight, plan) => match randomize(plan).map(|node| (node, node.input())) {
                Some((node, LogicalPlan::Filter(filter))) => (node, filter),
                _ => return Ok(Attempt::NoMatch),
            },
            (Way::RightToLeft, LogicalPlan::Filter(filter)) => match randomize(&filter.input) {
                Some(node) => (node, filter),
                None => return Ok(Attempt::NoMatch),
            },
            _ => return Ok(Attempt::NoMatch),
        };
        if let Some(why) = obstacle(node, filter)? {
            return refused(why);
        }
        let plan = match way {
            Way::LeftToRight => filtered(&filter.predicate, over(node, (*filter.input).clone())?)?,
            Way::RightToLeft => over(node, filtered(&filter.predicate, node.input().clone())?)?,
        };
        equivalent(plan, "the selection reads no randomised column")
    }
}

fn obstacle(node: &Randomize, filter: &Filter) -> Result<Option<String>> {
    let schema = node.input().schema();
    let read = match read_by(&filter.predicate, schema) {
        Ok(read) => read,
        Err(why) => return Ok(Some(why)),
    };
    for column in node.what().columns() {
        if read.contains(&place(schema, column)?) {
            return Ok(Some(format!("the selection reads {}, which is randomised", column.name)));
        }
    }
    Ok(read_off_column(node))
}
