//! D12: noise and unions.

use crate::operator::{Noise, Randomize};
use crate::rules::outcome::{SOURCE, equivalent, refused};
use crate::rules::patterns::columns::{column_at, place};
use crate::rules::patterns::randomize::{randomize, read_off_column};
use crate::rules::patterns::union::{bag_union, union_of, union_parts};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;

/// Noise and unions.
#[derive(Debug)]
pub(super) struct Unions;

static CARD: Card = Card {
    id: "D12",
    statement: "α^D_P(r1 ∪ r2) ⇔ α^D_P(r1) ∪ α^D_P(r2)",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "UNION ALL of parts with the same types; the same columns, probabilities and distributions in every part; \
        no distribution is read off the column (a part has another one)",
    source: SOURCE,
    example: "P = {(B, 0.5)}, r1 = r2 = {(01.01., 00)}: equal for UNION ALL, not for UNION",
};

impl Rule for Unions {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => into_parts(plan),
            Way::RightToLeft => out_of_parts(plan),
        }
    }
}

/// P by places, so that it can be compared and moved between the parts of a union.
fn by_place(node: &Randomize) -> Result<Vec<(usize, Noise)>> {
    let placed = node
        .what()
        .noise
        .iter()
        .map(|(column, noise)| Ok((place(node.input().schema(), column)?, noise.clone())));
    let mut placed = placed.collect::<Result<Vec<_>>>()?;
    placed.sort_by_key(|(place, _)| *place);
    Ok(placed)
}

fn named(noise: &[(usize, Noise)], schema: &DFSchema) -> Vec<(Column, Noise)> {
    noise.iter().map(|(place, noise)| (column_at(schema, *place), noise.clone())).collect()
}

fn into_parts(plan: &LogicalPlan) -> Result<Attempt> {
    let Some(node) = randomize(plan) else { return Ok(Attempt::NoMatch) };
    let union = match bag_union(node.input()) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(union)) => union,
    };
    if let Some(why) = read_off_column(node) {
        return refused(why);
    }
    let noise = by_place(node)?;
    let parts = union.inputs.iter().zip(0..).map(|(input, part)| {
        Randomize::plan((**input).clone(), named(&noise, input.schema()), node.what().draw.part(part))
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    equivalent(union_of(union, parts), "rows are randomised one by one")
}

fn out_of_parts(plan: &LogicalPlan) -> Result<Attempt> {
    let parts = union_parts(plan).and_then(|parts| parts.iter().map(|part| randomize(part)).collect());
    let Some::<Vec<_>>(nodes) = parts else {
        return Ok(Attempt::NoMatch);
    };
    let union = match bag_union(plan) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(union)) => union,
    };
    let Some((first, others)) = nodes.split_first() else { return Ok(Attempt::NoMatch) };
    let noise = by_place(first)?;
    for (other, part) in others.iter().zip(2..) {
        if by_place(other)? != noise {
            return refused(format!("part {part} of the union is randomised differently from the first"));
        }
    }
    if let Some(why) = read_off_column(first) {
        return refused(why);
    }
    let whole = union_of(union, nodes.iter().map(|node| node.input().clone()).collect());
    let plan = Randomize::plan(whole, named(&noise, &union.schema), first.what().draw)?;
    equivalent(plan, "every part has the same noise, and rows are randomised one by one")
}
