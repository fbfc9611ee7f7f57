//! C5: projection and union

use super::SOURCE;
use crate::rules::outcome::{equivalent, refused};
use crate::rules::patterns::columns::{column_at, place};
use crate::rules::patterns::projection::Projected;
use crate::rules::patterns::union::bag_union;
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::Result;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Union};
use std::sync::Arc;

/// Projection and union.
#[derive(Debug)]
pub(super) struct ProjectionAndUnion;

static CARD: Card = Card {
    id: "C5",
    statement: "π_X(r1 ∪ r2) ⇔ π_X(r1) ∪ π_X(r2)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "π of plain columns that keeps duplicates; UNION ALL of any number of parts; from right to left the same places in all parts",
    source: SOURCE,
    example: "X = {A}: the first column of both parts",
};

impl Rule for ProjectionAndUnion {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => {
                let LogicalPlan::Projection(node) = plan else { return Ok(Attempt::NoMatch) };
                let union = match bag_union(&node.input) {
                    Some(Ok(union)) => union,
                    Some(Err(why)) => return refused(why),
                    None => return Ok(Attempt::NoMatch),
                };
                let pi = match Projected::of(plan) {
                    Some(Ok(pi)) => pi,
                    Some(Err(why)) => return refused(why),
                    None => return Ok(Attempt::NoMatch),
                };
                let mut places = Vec::new();
                for column in plan.schema().columns() {
                    places.push(place(&union.schema, &pi.below(&column)?)?);
                }
                let part = |part: &Arc<LogicalPlan>| -> Result<Arc<LogicalPlan>> {
                    let columns =
                        places.iter().map(|&at| Expr::Column(column_at(part.schema(), at))).collect();
                    Ok(Arc::new(LogicalPlan::Projection(Projection::try_new(columns, Arc::clone(part))?)))
                };
                let inputs = union.inputs.iter().map(part).collect::<Result<Vec<_>>>()?;
                let narrow = LogicalPlan::Union(Union { inputs, schema: Arc::clone(plan.schema()) });
                equivalent(narrow, BECAUSE)
            }
            Way::RightToLeft => {
                let Some(Ok(union)) = bag_union(plan) else { return Ok(Attempt::NoMatch) };
                let mut parts: Vec<(Vec<usize>, &LogicalPlan)> = Vec::new();
                for part in &union.inputs {
                    let Some(Ok(pi)) = Projected::of(part) else { return Ok(Attempt::NoMatch) };
                    let mut places = Vec::new();
                    for column in part.schema().columns() {
                        places.push(place(pi.input().schema(), &pi.below(&column)?)?);
                    }
                    parts.push((places, pi.input()));
                }
                let Some((places, first)) = parts.first().cloned() else { return Ok(Attempt::NoMatch) };
                let types = |plan: &LogicalPlan| -> Vec<_> {
                    plan.schema().fields().iter().map(|field| field.data_type().clone()).collect()
                };
                if parts.iter().any(|(own, part)| *own != places || types(part) != types(first)) {
                    return refused("the parts are projected differently");
                }
                let Some(schema) = widened(plan.schema(), first, &places)? else {
                    return refused("two columns would have the same name below the projection");
                };
                let inputs = parts.into_iter().map(|(_, part)| Arc::new(part.clone())).collect();
                let columns = plan.schema().columns().into_iter().map(Expr::Column).collect();
                let whole = LogicalPlan::Union(Union { inputs, schema: Arc::new(schema) });
                equivalent(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(whole))?), BECAUSE)
            }
        }
    }
}
const BECAUSE: &str = "every part has the columns at the same places";

/// The columns of the first part; those at the given places are called as above the projection.
fn widened(above: &DFSchema, first: &LogicalPlan, places: &[usize]) -> Result<Option<DFSchema>> {
    let mut fields = Vec::new();
    let mut names: Vec<Column> = Vec::new();
    for (at, (_, field)) in first.schema().iter().enumerate() {
        let (qualifier, field) = match places.iter().position(|place| *place == at) {
            Some(kept) => {
                let (qualifier, own) = above.qualified_field(kept);
                (qualifier.cloned(), Arc::clone(own))
            }
            None => (None, Arc::clone(field)),
        };
        names.push(Column::new(qualifier.clone(), field.name()));
        fields.push((qualifier, field));
    }
    let twice = (1..names.len()).any(|at| names[..at].iter().any(|other| other.name == names[at].name));
    Ok(if twice { None } else { Some(DFSchema::new_with_metadata(fields, above.metadata().clone())?) })
}
