//! C6: selection and join

use super::{NOT_THE_ROW, SOURCE};
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::join::EquiJoin;
use crate::rules::patterns::selection::{filtered, reads_the_row_only};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::DFSchema;
use datafusion::common::Result;
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Selection and join.
#[derive(Debug)]
pub(super) struct SelectionAndJoin;

static CARD: Card = Card {
    id: "C6",
    statement: "σ_{F1 ∧ F2}(r1 ⋈ r2) ⇔ σ_F1(r1) ⋈ σ_F2(r2)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "an inner join on equal columns; attr(F1) ⊆ R1, attr(F2) ⊆ R2 (what reads both stays above); F1 and F2 read nothing but the row",
    source: SOURCE,
    example: "F1: A = 1 with A in r1: only rows of r1 with A = 1 look for partners",
};

impl Rule for SelectionAndJoin {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let LogicalPlan::Filter(filter) = plan else { return Ok(Attempt::NoMatch) };
                let join = match EquiJoin::of(&filter.input) {
                    Some(Ok(join)) => join,
                    Some(Err(why)) => return refused(why),
                    None => return Ok(Attempt::NoMatch),
                };
                let (left, right) = (join.left().schema(), join.right().schema());
                let (mut first, mut second, mut rest) = (Vec::new(), Vec::new(), Vec::new());
                for part in split_conjunction(&filter.predicate) {
                    if !reads_the_row_only(part) {
                        return refused(NOT_THE_ROW);
                    }
                    let parts = match (reads(part, left, right), reads(part, right, left)) {
                        (true, _) => &mut first,
                        (_, true) => &mut second,
                        _ => &mut rest,
                    };
                    parts.push(part.clone());
                }
                if first.is_empty() && second.is_empty() {
                    return refused("the predicate reads both relations");
                }
                let below = join.over(selected(first, join.left())?, selected(second, join.right())?)?;
                equivalent(selected(rest, &below)?, BECAUSE)
            }
            Way::RightToLeft => {
                let Some(Ok(join)) = EquiJoin::of(plan) else { return Ok(Attempt::NoMatch) };
                let side = |relation: &LogicalPlan| match relation {
                    LogicalPlan::Filter(filter) if reads_the_row_only(&filter.predicate) => {
                        (Some(filter.predicate.clone()), filter.input.as_ref().clone())
                    }
                    other => (None, other.clone()),
                };
                let ((first, left), (second, right)) = (side(join.left()), side(join.right()));
                let predicates: Vec<Expr> = first.into_iter().chain(second).collect();
                if predicates.is_empty() {
                    return Ok(Attempt::NoMatch);
                }
                equivalent(selected(predicates, &join.over(left, right)?)?, BECAUSE)
            }
        }
    }
}
const BECAUSE: &str = "a row that does not pass alone does not pass with a partner";

/// Whether a part reads columns of one side alone, and none that the other could mean.
fn reads(part: &Expr, own: &DFSchema, other: &DFSchema) -> bool {
    let columns = part.column_refs();
    !columns.is_empty() && columns.iter().all(|column| own.has_column(column) && !other.has_column(column))
}

fn selected(parts: Vec<Expr>, relation: &LogicalPlan) -> Result<LogicalPlan> {
    match conjunction(parts) {
        Some(predicate) => filtered(&predicate, relation.clone()),
        None => Ok(relation.clone()),
    }
}
