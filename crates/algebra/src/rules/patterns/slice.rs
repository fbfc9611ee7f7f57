//! α^S at the root of a plan, and what its rules ask of it.

use super::columns::{column_at, place};
use super::projection::projects;
use crate::operator::{Buckets, Generalization, Operator, Overlap, Slice, Slicing};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::LogicalPlan;
use paravent_slicing::Share;
use std::collections::BTreeSet;

/// α^S at the root.
pub(in crate::rules) fn slice(plan: &LogicalPlan) -> Option<&Slice> {
    match Operator::of(plan) {
        Some(Operator::Slice(slice)) => Some(slice),
        _ => None,
    }
}

/// Column groups by place: a partition.
pub(in crate::rules) type Groups = BTreeSet<BTreeSet<usize>>;

/// Why no rule holds: copies of a column are outside of the algebra.
pub(in crate::rules) fn overlapping(node: &Slice) -> Option<String> {
    match node.what().overlap {
        Overlap::Forbidden => None,
        Overlap::Allowed { .. } => Some("the groups may overlap, and no rule is known for those".to_owned()),
    }
}

/// The groups of a slicing.
pub(in crate::rules) fn groups(node: &Slice) -> Result<Groups> {
    let schema = node.input().schema();
    node.what()
        .groups
        .iter()
        .map(|group| group.iter().map(|column| place(schema, column)).collect())
        .collect()
}

/// Groups with the names of a schema, in the order of their first columns.
pub(in crate::rules) fn named(groups: &Groups, schema: &DFSchema) -> Vec<Vec<Column>> {
    groups.iter().map(|group| group.iter().map(|place| column_at(schema, *place)).collect()).collect()
}

/// Slicing directly over slicing: the outer and the inner one.
pub(in crate::rules) fn nested(plan: &LogicalPlan) -> Option<(&Slice, &Slice)> {
    let outer = slice(plan)?;
    Some((outer, slice(outer.input())?))
}

/// The same slicing, the same draw, over another relation with the same columns.
pub(in crate::rules) fn over(node: &Slice, input: LogicalPlan) -> Result<LogicalPlan> {
    Slice::plan(input, node.what().clone())
}

/// Whether a projection, also one that drops duplicates, stands directly over slicing.
pub(in crate::rules) fn projects_slices(plan: &LogicalPlan) -> bool {
    projects(plan, |below| slice(below).is_some())
}

/// Why the outer of two slicings may use other buckets than the inner one; `None` where they are surely the same.
///
/// Windows are the same because the operator carries the rank through, buckets by a column because all its values in a bucket are
/// equal. Classes are found again only where the inner slicing keeps together all that decides them.
pub(in crate::rules) fn different_buckets(outer: &Slice, inner: &Slice) -> Result<Option<String>> {
    let (mine, theirs) = (outer.what(), inner.what());
    if mine.least_rows != theirs.least_rows {
        return Ok(Some("the smallest buckets differ".to_owned()));
    }
    let schema = inner.input().schema();
    let same = match (&mine.buckets, &theirs.buckets) {
        (Buckets::Count(one), Buckets::Count(other)) | (Buckets::Size(one), Buckets::Size(other)) => {
            one == other
        }
        (Buckets::By(one), Buckets::By(other)) => place(schema, one)? == place(schema, other)?,
        (Buckets::Classes(one), Buckets::Classes(other)) => {
            let deciding = deciding(one, schema)?;
            let together = groups(inner)?.iter().any(|group| deciding.is_subset(group));
            if one == other && (!together || one.promise.may_suppress()) {
                let why = "the classes may change when their columns are mixed or rows are suppressed";
                return Ok(Some(why.to_owned()));
            }
            one == other
        }
        _ => false,
    };
    Ok((!same).then(|| "the buckets of the two slicings differ".to_owned()))
}

/// The columns that decide classes: the quasi-identifiers, and what the promise protects.
fn deciding(what: &Generalization, schema: &DFSchema) -> Result<BTreeSet<usize>> {
    let mut places =
        what.quasi.iter().map(|column| place(schema, column)).collect::<Result<BTreeSet<_>>>()?;
    let sensitive = what.promise.sensitive();
    let named =
        schema.fields().iter().enumerate().filter(|(_, field)| sensitive.contains(&field.name().as_str()));
    places.extend(named.map(|(place, _)| place));
    Ok(places)
}

/// The same buckets with other names for their columns; `None` where one has no name on the other side.
pub(in crate::rules) fn buckets_with(
    buckets: &Buckets,
    mut name: impl FnMut(&Column) -> Result<Option<Column>>,
) -> Result<Option<Buckets>> {
    Ok(match buckets {
        Buckets::Count(_) | Buckets::Size(_) => Some(buckets.clone()),
        Buckets::By(column) => name(column)?.map(Buckets::By),
        Buckets::Classes(what) => {
            let quasi = what.quasi.iter().map(name).collect::<Result<Option<Vec<_>>>>()?;
            quasi.map(|quasi| Buckets::Classes(Generalization { quasi, promise: what.promise.clone() }))
        }
    })
}

/// Why a slicing whose buckets must show so many values stays where it is.
pub(in crate::rules) const OF_VALUES: &str =
    "its buckets must show enough sensitive values of the relation as it is";

/// Why a slicing stays although it mixes nothing that is seen: it is the one that refuses rows which are alone inside a group. A column that stands alone shows
/// nothing beside itself.
pub(in crate::rules) fn guards(node: &Slice, columns: usize) -> Option<String> {
    let limits = node.what().demands.limits;
    let looks = columns > 1 && limits.unique != Share::ALL;
    looks.then(|| {
        "it is held to limits, and without it nobody would look for rows that are alone inside a group"
            .to_owned()
    })
}

/// Why two slicings cannot be one: they are held to different things, or to values that only one of them has.
pub(in crate::rules) fn different_demands(one: &Slice, other: &Slice) -> Option<String> {
    let (mine, theirs) = (&one.what().demands, &other.what().demands);
    if mine.of_values() || theirs.of_values() {
        return Some(OF_VALUES.to_owned());
    }
    (mine.limits != theirs.limits).then(|| "the two slicings are held to different limits".to_owned())
}

/// Why a column that the promise of classes protects, and that is known by its name alone, is not the same one in all schemas.
pub(in crate::rules) fn sensitive_once(what: &Slicing, schemas: &[&DFSchema]) -> Option<String> {
    if what.demands.of_values() {
        return Some(OF_VALUES.to_owned());
    }
    let Buckets::Classes(classes) = &what.buckets else { return None };
    let once =
        |name: &&str| schemas.iter().all(|schema| schema.columns_with_unqualified_name(name).len() == 1);
    let sensitive = classes.promise.sensitive();
    let lost = sensitive.iter().find(|name| !once(name))?;
    Some(format!("the classes protect {lost}, which is not there exactly once on both sides"))
}
