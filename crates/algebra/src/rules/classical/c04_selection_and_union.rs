//! C4: selection and union

use super::{NOT_THE_ROW, SOURCE, with_columns};
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::columns::column_at;
use crate::rules::patterns::selection::{filtered, reads_the_row_only};
use crate::rules::patterns::union::{bag_union, union_of};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::DFSchema;
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};

/// Selection and union.
#[derive(Debug)]
pub(super) struct SelectionAndUnion;

static CARD: Card = Card {
    id: "C4",
    statement: "σ_F(r1 ∪ r2) ⇔ σ_F(r1) ∪ σ_F(r2)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "F reads nothing but the row; UNION ALL of any number of parts; from right to left the same F in all parts",
    source: SOURCE,
    example: "F: A = 1 on two parts: the rows with A = 1 of both",
};

impl Rule for SelectionAndUnion {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let LogicalPlan::Filter(filter) = plan else { return Ok(Attempt::NoMatch) };
                let union = match bag_union(&filter.input) {
                    Some(Ok(union)) => union,
                    Some(Err(why)) => return refused(why),
                    None => return Ok(Attempt::NoMatch),
                };
                if !reads_the_row_only(&filter.predicate) {
                    return refused(NOT_THE_ROW);
                }
                let mut parts = Vec::new();
                for part in &union.inputs {
                    match moved(&filter.predicate, &union.schema, part.schema())? {
                        Some(predicate) => parts.push(filtered(&predicate, part.as_ref().clone())?),
                        None => return Ok(Attempt::NoMatch),
                    }
                }
                equivalent(union_of(union, parts), BECAUSE)
            }
            Way::RightToLeft => {
                let Some(Ok(union)) = bag_union(plan) else { return Ok(Attempt::NoMatch) };
                let filters: Option<Vec<&Filter>> = union
                    .inputs
                    .iter()
                    .map(|part| match &**part {
                        LogicalPlan::Filter(filter) => Some(filter),
                        _ => None,
                    })
                    .collect();
                let Some(filters) = filters else { return Ok(Attempt::NoMatch) };
                let mut common: Option<Expr> = None;
                for filter in &filters {
                    if !reads_the_row_only(&filter.predicate) {
                        return refused(NOT_THE_ROW);
                    }
                    let above = moved(&filter.predicate, filter.input.schema(), &union.schema)?;
                    match (&common, above) {
                        (_, None) => return Ok(Attempt::NoMatch),
                        (None, Some(above)) => common = Some(above),
                        (Some(common), Some(above)) if *common == above => {}
                        _ => return refused("the parts are selected by different predicates"),
                    }
                }
                let Some(predicate) = common else { return Ok(Attempt::NoMatch) };
                let parts = filters.iter().map(|filter| filter.input.as_ref().clone()).collect();
                equivalent(filtered(&predicate, union_of(union, parts))?, BECAUSE)
            }
        }
    }
}
const BECAUSE: &str = "a row passes wherever it comes from";

/// The predicate on the columns at the same places of another schema.
fn moved(predicate: &Expr, from: &DFSchema, to: &DFSchema) -> Result<Option<Expr>> {
    with_columns(predicate, |column| Some(column_at(to, from.maybe_index_of_column(column)?)))
}
