//! α^G: all level vectors in the order of their height, the first that keeps the promise.

use super::hierarchies::{chain, hierarchy_of};
use super::relational::place;
use super::{Cell, Row, Tables, Undefined, bag};
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::operator::{Generalization, Operator, Promise};
use paravent_core::exact::Fraction;
use paravent_job::Model;
use std::collections::{BTreeMap, BTreeSet};

/// The relation with the least levels that keep the promise; rows of classes that do not keep it are left out, where so many may be.
pub(super) fn generalized(
    rows: &[Row],
    what: &Generalization,
    input: &LogicalPlan,
) -> Result<Vec<Row>, Undefined> {
    if what.quasi.is_empty() {
        let enough = rows.len() >= what.promise.k() as usize;
        return if enough { Ok(rows.to_vec()) } else { Err(Undefined::Error("too few rows")) };
    }
    let (places, chosen) = levels(rows, what, input)?;
    let lifted = lifted(rows, input, &places, &chosen)?;
    let lost = lost(&lifted, &places, &what.promise, input)?;
    Ok(lifted.into_iter().enumerate().filter(|(at, _)| !lost.contains(at)).map(|(_, row)| row).collect())
}

/// The places of X, and the least levels that keep the promise: the smallest sum, then the first in the order of the columns.
pub(super) fn levels(
    rows: &[Row],
    what: &Generalization,
    input: &LogicalPlan,
) -> Result<(Vec<usize>, Vec<usize>), Undefined> {
    if rows.len() < what.promise.k() as usize {
        return Err(Undefined::Error("too few rows"));
    }
    let mut places =
        what.quasi.iter().map(|column| place(input, column)).collect::<Result<Vec<usize>, _>>()?;
    places.sort_unstable();
    let limit = Fraction::parse(what.promise.suppression_limit.as_str()).unwrap();
    let most = limit.floor_of(rows.len() as u64) as usize;
    for vector in vectors(input, &places)? {
        let lifted = lifted(rows, input, &places, &vector)?;
        if lost(&lifted, &places, &what.promise, input)?.len() <= most {
            return Ok((places, vector));
        }
    }
    Err(Undefined::Error("no levels keep the promise"))
}

/// All level vectors: the smallest sum first, then in the order of the columns.
fn vectors(input: &LogicalPlan, places: &[usize]) -> Result<Vec<Vec<usize>>, Undefined> {
    let mut vectors: Vec<Vec<usize>> = vec![Vec::new()];
    for &at in places {
        let height = height(input, at)?;
        vectors = vectors
            .iter()
            .flat_map(|vector| (0..=height).map(move |level| [&vector[..], &[level]].concat()))
            .collect();
    }
    vectors.sort_by_key(|vector| (vector.iter().sum::<usize>(), vector.clone()));
    Ok(vectors)
}

fn name(input: &LogicalPlan, at: usize) -> String {
    input.schema().field(at).name().clone()
}

fn height(input: &LogicalPlan, at: usize) -> Result<usize, Undefined> {
    let chains = hierarchy_of(&name(input, at));
    chains.map(|chains| chains[0].len() - 1).ok_or_else(|| Undefined::Unknown("a hierarchy".to_owned()))
}

/// The label of a cell, and the cell itself where it has none.
pub(super) fn bare_label(input: &LogicalPlan, at: usize, cell: &Cell, level: usize) -> Cell {
    let label = cell.as_deref().and_then(|cell| chain(&name(input, at), cell, level));
    label.or_else(|| cell.clone())
}

fn lifted(
    rows: &[Row],
    input: &LogicalPlan,
    places: &[usize],
    levels: &[usize],
) -> Result<Vec<Row>, Undefined> {
    let mut lifted = rows.to_vec();
    for row in &mut lifted {
        for (&at, &level) in places.iter().zip(levels) {
            let Some(cell) = &row[at] else {
                return Err(Undefined::Error("a missing value has no label here"));
            };
            let label = chain(&name(input, at), cell, level);
            row[at] = Some(label.ok_or(Undefined::Error("a value without a place in its hierarchy"))?);
        }
    }
    Ok(lifted)
}

/// The rows of classes that do not keep the promise.
fn lost(
    rows: &[Row],
    places: &[usize],
    promise: &Promise,
    input: &LogicalPlan,
) -> Result<BTreeSet<usize>, Undefined> {
    let mut lost = BTreeSet::new();
    for members in classes(rows, places).into_values() {
        for model in &promise.models {
            let holds = match model {
                Model::KAnonymity { k } => members.len() >= *k as usize,
                Model::DistinctLDiversity { attribute, l } => {
                    let mut named = input.schema().fields().iter();
                    let at = named.position(|field| field.name() == attribute).unwrap();
                    let values: BTreeSet<&Cell> = members.iter().map(|&row| &rows[row][at]).collect();
                    values.len() >= *l as usize
                }
                other => return Err(Undefined::Unknown(other.name().name().to_owned())),
            };
            if !holds {
                lost.extend(members.iter().copied());
            }
        }
    }
    Ok(lost)
}

/// Whether every α^G of a plan without chance has a single best level vector: then no tie has to be broken.
pub fn decided(plan: &LogicalPlan, tables: &Tables) -> bool {
    let own = match Operator::of(plan) {
        Some(Operator::Generalize(node)) if !node.what().quasi.is_empty() => {
            bag(node.input(), tables).is_ok_and(|rows| best(&rows, node.what(), node.input()) == Ok(1))
        }
        _ => true,
    };
    own && plan.inputs().into_iter().all(|input| decided(input, tables))
}

/// How many level vectors of the least height keep the promise.
fn best(rows: &[Row], what: &Generalization, input: &LogicalPlan) -> Result<usize, Undefined> {
    let (places, chosen) = levels(rows, what, input)?;
    let least: usize = chosen.iter().sum();
    let mut best = 0;
    for vector in vectors(input, &places)? {
        if vector.iter().sum::<usize>() == least {
            let lifted = lifted(rows, input, &places, &vector)?;
            best += usize::from(lost(&lifted, &places, &what.promise, input)?.is_empty());
        }
    }
    Ok(best)
}

/// Rows that agree on some columns.
pub fn classes(rows: &[Row], places: &[usize]) -> BTreeMap<Vec<Cell>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        classes.entry(places.iter().map(|&place| row[place].clone()).collect()).or_default().push(at);
    }
    classes
}

/// Whether every class over some columns has at least k rows.
pub fn keeps_k(rows: &[Row], places: &[usize], k: u32) -> bool {
    classes(rows, places).values().all(|class| class.len() >= k as usize)
}
