//! S8: slicing and unions.

use super::windows::Windows;
use crate::operator::{Buckets, Generalization, Slice, Slicing};
use crate::rules::outcome::{SOURCE, equivalent, partially, refused};
use crate::rules::patterns::columns::moved;
use crate::rules::patterns::slice::{Groups, OF_VALUES, different_demands, groups, named, overlapping, slice};
use crate::rules::patterns::union::{bag_union, union_of, union_parts};
use crate::rules::{Attempt, Card, Direction, Facts, Kind, Rule, Safe, Way};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;

/// Slicing and unions.
#[derive(Debug)]
pub(super) struct Unions;

static CARD: Card = Card {
    id: "S8",
    statement: "α^S_V(r1 ∪ r2) ≈ α^S_V(r1) ∪ α^S_V(r2)",
    direction: Direction::Both,
    kind: Kind::EquivalentOrPartially,
    safe: Safe::Yes,
    condition: "UNION ALL of parts with the same types, the same groups and the same kind of buckets in every part, and \
        enough rows for the smallest bucket in each. Equivalent where every border between parts is a border \
        between windows; buckets by a column are only merged, not split (a part may have too few rows of a \
        value); classes only for k-anonymity without suppression, k no smaller than the smallest bucket. Groups \
        may not overlap",
    source: SOURCE,
    example: "V = {A}, {B}, r1 = (01.01., 00), (05.01., A0), r2 = (20.03., B0), (25.03., AB): equal in buckets of two \
        (four results), not in one common bucket of four (24 results)",
};

impl Rule for Unions {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn keeps_rank(&self) -> bool {
        false
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, facts: &dyn Facts) -> Result<Attempt> {
        match way {
            Way::LeftToRight => into_parts(plan, facts),
            Way::RightToLeft => out_of_parts(plan, facts),
        }
    }
}

const MOVED: &str = "every group of every part keeps its values";

/// The same buckets, with what another part of the union calls the columns.
fn buckets_in(buckets: &Buckets, from: &DFSchema, to: &DFSchema) -> Result<Buckets> {
    Ok(match buckets {
        Buckets::Count(_) | Buckets::Size(_) => buckets.clone(),
        Buckets::By(column) => Buckets::By(moved(std::slice::from_ref(column), from, to)?.swap_remove(0)),
        Buckets::Classes(what) => Buckets::Classes(Generalization {
            quasi: moved(&what.quasi, from, to)?,
            promise: what.promise.clone(),
        }),
    })
}

/// Rows of every part, where they are known and enough.
fn rows_of<'a>(
    parts: impl Iterator<Item = &'a LogicalPlan>,
    what: &Slicing,
    facts: &dyn Facts,
) -> Result<Vec<u64>, String> {
    let least = match &what.buckets {
        Buckets::Size(size) => what.least_rows.max(*size),
        Buckets::Classes(classes) => {
            let k = u64::from(classes.promise.k());
            if !classes.promise.is_k_anonymity_only() || classes.promise.may_suppress() || k < what.least_rows
            {
                return Err(
                    "the classes promise more than k-anonymity, or less than the smallest bucket".to_owned()
                );
            }
            k
        }
        Buckets::Count(_) | Buckets::By(_) => what.least_rows,
    };
    let rows = parts.zip(1..).map(|(part, number)| match facts.rows(part) {
        Some(rows) if rows >= least => Ok(rows),
        Some(_) => Err(format!("part {number} of the union has fewer rows than the {least} of a bucket")),
        None => Err(format!("nobody knows how many rows part {number} of the union has")),
    });
    rows.collect()
}

fn into_parts(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let Some(node) = slice(plan) else { return Ok(Attempt::NoMatch) };
    let union = match bag_union(node.input()) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(union)) => union,
    };
    if let Some(why) = overlapping(node) {
        return refused(why);
    }
    let what = node.what();
    if what.demands.of_values() {
        return refused(OF_VALUES);
    }
    if let Buckets::By(column) = &what.buckets {
        return refused(format!("a part may have too few rows with one value of {}", column.name));
    }
    let rows = match rows_of(union.inputs.iter().map(|input| &**input), what, facts) {
        Ok(rows) => rows,
        Err(why) => return refused(why),
    };
    let whole = rows.iter().sum();
    // Windows that end where a part ends belong to the parts: each takes over its own.
    let shares = match what.buckets {
        // How many windows a part has tells how many rows: where these are nobody's business, the plan may not show it.
        Buckets::Count(count) if facts.may_be_shown() => {
            Windows::count(whole, count).and_then(|windows| windows.shares(&rows))
        }
        _ => None,
    };
    let exact = match what.buckets {
        Buckets::Size(size) => {
            let parts = Windows::all(rows.iter().map(|rows| Windows::size(*rows, size)));
            parts.is_some() && parts == Windows::size(whole, size)
        }
        _ => shares.is_some(),
    };
    if let (Buckets::Count(count), None) = (&what.buckets, &shares) {
        let small = rows.iter().position(|rows| rows.checked_div(*count).unwrap_or(0) < what.least_rows);
        if let Some(part) = small {
            return refused(format!(
                "part {} of the union has too few rows for {count} buckets of {}",
                part + 1,
                what.least_rows
            ));
        }
    }
    let groups = groups(node)?;
    let mut parts = Vec::new();
    for (part, input) in union.inputs.iter().enumerate() {
        let buckets = match &shares {
            Some(shares) => Buckets::Count(shares[part]),
            None => buckets_in(&what.buckets, &union.schema, input.schema())?,
        };
        let groups = named(&groups, input.schema());
        let draw = what.draw.part(part as u64);
        parts.push(Slice::plan((**input).clone(), Slicing { groups, buckets, draw, ..what.clone() })?);
    }
    let plan = union_of(union, parts);
    match exact {
        true => equivalent(plan, "every border between parts is a border between buckets"),
        false => partially(plan, Safe::Yes, MOVED),
    }
}

fn out_of_parts(plan: &LogicalPlan, facts: &dyn Facts) -> Result<Attempt> {
    let parts = union_parts(plan).and_then(|parts| parts.iter().map(|part| slice(part)).collect());
    let Some::<Vec<_>>(nodes) = parts else {
        return Ok(Attempt::NoMatch);
    };
    let union = match bag_union(plan) {
        None => return Ok(Attempt::NoMatch),
        Some(Err(why)) => return refused(why),
        Some(Ok(union)) => union,
    };
    if let Some(why) = nodes.iter().find_map(|node| overlapping(node)) {
        return refused(why);
    }
    let Some((first, others)) = nodes.split_first() else { return Ok(Attempt::NoMatch) };
    if let Some(why) = others.iter().find_map(|other| different_demands(first, other)) {
        return refused(why);
    }
    let together: Groups = groups(first)?;
    for (other, part) in others.iter().zip(2..) {
        let same_buckets = match (&first.what().buckets, &other.what().buckets) {
            (Buckets::Count(_), Buckets::Count(_)) => true,
            (mine, theirs) => {
                let same_kind = std::mem::discriminant(mine) == std::mem::discriminant(theirs);
                same_kind && *mine == buckets_in(theirs, other.input().schema(), first.input().schema())?
            }
        };
        if groups(other)? != together || !same_buckets || other.what().least_rows != first.what().least_rows {
            return refused(format!("part {part} of the union is sliced differently from the first"));
        }
    }
    let rows = match rows_of(nodes.iter().map(|node| node.input()), first.what(), facts) {
        Ok(rows) => rows,
        Err(why) => return refused(why),
    };
    let whole = rows.iter().sum();
    let windows = nodes.iter().zip(&rows).map(|(node, rows)| Windows::of(*rows, &node.what().buckets));
    let parts = Windows::all(windows);
    let buckets = match &first.what().buckets {
        Buckets::Count(_) => Buckets::Count(nodes.iter().map(|node| count(&node.what().buckets)).sum()),
        other => buckets_in(other, first.input().schema(), &union.schema)?,
    };
    let exact = parts.is_some() && parts == Windows::of(whole, &buckets);
    let groups = named(&together, &union.schema);
    let input = union_of(union, nodes.iter().map(|node| node.input().clone()).collect());
    let plan = Slice::plan(input, Slicing { groups, buckets, ..first.what().clone() })?;
    match exact {
        true => equivalent(plan, "every border between parts is a border between buckets"),
        false => partially(plan, Safe::Yes, MOVED),
    }
}

fn count(buckets: &Buckets) -> u64 {
    match buckets {
        Buckets::Count(count) => *count,
        _ => 0,
    }
}
