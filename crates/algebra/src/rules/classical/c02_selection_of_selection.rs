//! C2: a selection of a selection

use super::{NOT_THE_ROW, SOURCE};
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::selection::reads_the_row_only;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Filter, LogicalPlan};
use std::sync::Arc;

/// A selection of a selection.
#[derive(Debug)]
pub(super) struct SelectionOfSelection;

static CARD: Card = Card {
    id: "C2",
    statement: "σ_F1(σ_F2(r)) ⇔ σ_{F1 ∧ F2}(r)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "F1 and F2 read nothing but the row",
    source: SOURCE,
    example: "σ_{A = 1}(σ_{B = 2}(r)): σ_{B = 2 ∧ A = 1}(r)",
};

impl Rule for SelectionOfSelection {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        let LogicalPlan::Filter(outer) = plan else { return Ok(Attempt::NoMatch) };
        match way {
            Way::LeftToRight => {
                let LogicalPlan::Filter(inner) = &*outer.input else { return Ok(Attempt::NoMatch) };
                if !reads_the_row_only(&outer.predicate) || !reads_the_row_only(&inner.predicate) {
                    return refused(NOT_THE_ROW);
                }
                let both = inner.predicate.clone().and(outer.predicate.clone());
                let once = LogicalPlan::Filter(Filter::try_new(both, Arc::clone(&inner.input))?);
                equivalent(once, "a row passes both or one of them stops it")
            }
            Way::RightToLeft => {
                let mut parts: Vec<_> = split_conjunction(&outer.predicate).into_iter().cloned().collect();
                if parts.len() < 2 {
                    return Ok(Attempt::NoMatch);
                }
                if !reads_the_row_only(&outer.predicate) {
                    return refused(NOT_THE_ROW);
                }
                let last = parts.split_off(parts.len() - 1);
                let (Some(first), Some(last)) = (conjunction(parts), conjunction(last)) else {
                    return Ok(Attempt::NoMatch);
                };
                let inner = LogicalPlan::Filter(Filter::try_new(first, Arc::clone(&outer.input))?);
                let twice = LogicalPlan::Filter(Filter::try_new(last, Arc::new(inner))?);
                equivalent(twice, "a row passes both or one of them stops it")
            }
        }
    }
}
