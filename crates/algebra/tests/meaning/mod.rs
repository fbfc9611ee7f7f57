//! What plans mean, slowly and obviously: every outcome of every random choice on tiny relations, with its exact probability.
//!
//! Independent of the engine, of the lowering and of the crates for slicing and noise: a plan is walked node by node, rows are lists of texts, α^G tries
//! all level vectors, α^S all permutations and α^D all redraws of every cell.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test may stop where something is missing, and no test file uses everything"
)]

mod facts;
mod generalize;
mod hierarchies;
mod noise;
mod relational;
mod slice;

pub use facts::Counted;
pub use generalize::{classes, decided};
pub use hierarchies::{domain, hierarchy_files};
pub use noise::OUTSIDE;

use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::operator::{Buckets, Operator};
use paravent_core::exact::Fraction;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A cell as text; nothing where it is missing.
pub type Cell = Option<Arc<str>>;
/// A row.
pub type Row = Vec<Cell>;
/// Relations with their probabilities. Where only bags matter, their rows are sorted.
pub type Outcomes = BTreeMap<Vec<Row>, Fraction>;

/// The rows of base relations, by name.
#[derive(Debug, Clone, Default)]
pub struct Tables(pub BTreeMap<String, Vec<Row>>);

/// Why a plan has no meaning that could be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undefined {
    /// An operator would stop with an error: too few rows, no levels that keep the promise, a bucket that is too small.
    Error(&'static str),
    /// There are more outcomes than one can list.
    TooMany,
    /// A node or an expression that has no meaning here.
    Unknown(String),
}

/// Outcomes of a plan, or why it has none.
pub type Meaning = Result<Outcomes, Undefined>;

/// Steps with more outcomes than this, counted one by one, are not listed.
const MOST: usize = 6_000;

/// Rows as text: one row per comma, cells between blanks, `∅` for a missing one.
pub fn rows(text: &str) -> Vec<Row> {
    let cell = |cell: &str| (cell != "∅").then(|| Arc::from(cell));
    let row = |row: &str| row.split_whitespace().map(cell).collect::<Row>();
    text.split(',').map(row).filter(|row| !row.is_empty()).collect()
}

/// The same back again, sorted.
pub fn shown(rows: &[Row]) -> String {
    let cell = |cell: &Cell| cell.as_deref().unwrap_or("∅").to_owned();
    let mut lines: Vec<String> =
        rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect();
    lines.sort();
    lines.join(", ")
}

/// Every bag that can come out, with its probability.
pub fn bags(plan: &LogicalPlan, tables: &Tables) -> Meaning {
    let mut outcomes = outcomes(plan, tables, Rank { matters: false, carried: false })?;
    outcomes.retain(|_, weight| *weight > Fraction::ZERO);
    Ok(outcomes)
}

/// The one bag of a plan without chance.
pub fn bag(plan: &LogicalPlan, tables: &Tables) -> Result<Vec<Row>, Undefined> {
    let outcomes = bags(plan, tables)?;
    match (outcomes.len(), outcomes.into_keys().next()) {
        (1, Some(bag)) => Ok(bag),
        _ => Err(Undefined::Unknown("a plan with chance".to_owned())),
    }
}

/// The same outcomes, looking at some columns only.
pub fn columns_of(outcomes: &Outcomes, places: &[usize]) -> Outcomes {
    let part = |row: &Row| places.iter().map(|&place| row[place].clone()).collect::<Row>();
    let narrow = |rows: &[Row]| Ok(surely(sorted(rows.iter().map(part).collect())));
    then(outcomes.clone(), narrow).unwrap_or_default()
}

/// Whether the order of rows has a meaning.
#[derive(Debug, Clone, Copy)]
struct Rank {
    /// Something above cuts the rows into windows of their rank.
    matters: bool,
    /// A slicing here carries the rank through, because the one above stands on it.
    carried: bool,
}

fn outcomes(plan: &LogicalPlan, tables: &Tables, rank: Rank) -> Meaning {
    let below = |input: &LogicalPlan, rank: Rank| outcomes(input, tables, rank);
    let found = match Operator::of(plan) {
        None => relational::outcomes(plan, tables, rank)?,
        Some(Operator::Generalize(node)) => {
            let input = below(node.input(), Rank { carried: false, ..rank })?;
            then(input, |rows| Ok(surely(generalize::generalized(rows, node.what(), node.input())?)))?
        }
        Some(Operator::Randomize(node)) => {
            let input = below(node.input(), Rank { carried: false, ..rank })?;
            then(input, |rows| noise::randomized(rows, node))?
        }
        Some(Operator::Slice(node)) => {
            let windows = matches!(node.what().buckets, Buckets::Count(_) | Buckets::Size(_));
            let matters = windows || (rank.matters && rank.carried);
            let input = below(node.input(), Rank { matters, carried: true })?;
            let sliced = then(input, |rows| slice::sliced(rows, node))?;
            match rank.matters && !rank.carried {
                // Nobody may learn the order of the source: the rows come out in any order.
                true => then(sliced, slice::in_any_order)?,
                false => sliced,
            }
        }
        Some(Operator::Private(_)) => return Err(Undefined::Unknown("private aggregates".to_owned())),
    };
    match rank.matters {
        true => Ok(found),
        false => then(found, |rows| Ok(surely(sorted(rows.to_vec())))),
    }
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort();
    rows
}

fn surely(rows: Vec<Row>) -> Outcomes {
    Outcomes::from([(rows, Fraction::ONE)])
}

/// Every outcome of one step, each with what happens next.
fn then(input: Outcomes, next: impl Fn(&[Row]) -> Meaning) -> Meaning {
    let (mut all, mut listed) = (Outcomes::new(), 0);
    for (rows, first) in input {
        let following = next(&rows)?;
        listed += following.len();
        if listed > MOST {
            return Err(Undefined::TooMany);
        }
        for (rows, second) in following {
            let weight = first.times(second).ok_or(Undefined::TooMany)?;
            add(&mut all, rows, weight)?;
        }
    }
    Ok(all)
}

fn add(all: &mut Outcomes, rows: Vec<Row>, weight: Fraction) -> Result<(), Undefined> {
    let sum = match all.get(&rows) {
        Some(sum) => sum.plus(weight).ok_or(Undefined::TooMany)?,
        None => weight,
    };
    all.insert(rows, sum);
    Ok(())
}
