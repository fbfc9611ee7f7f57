//! What slicing kept: associations of every two columns before and after, and what could undo it.
//!
//! Figures of the table before are facts about the people in it. They are for the house; what leaves it is the sliced table.

use crate::checks::{Sliced, dependencies, invariants, suspicions};
use crate::utility::{Comparison, Fate, NumericColumn, Regression, coded_pairs, numeric_pairs};
use crate::{ColumnGroups, Gathers, Layout};
use serde::Serialize;

/// What slicing kept, and what remains to worry about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceUtility {
    /// Every two columns.
    pub pairs: Vec<PairFigures>,
    /// Columns of different groups where one (nearly) tells the other: whoever knows that can put rows together again.
    pub dependencies: Vec<DependencyFigures>,
    /// Whether the invariants hold on the result: same rows in every bucket and group.
    pub invariants_hold: bool,
    /// Pairs of groups whose order looks too good to be random; empty as it should be.
    pub suspicions: u64,
}

/// Two columns before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairFigures {
    /// The columns.
    pub columns: (String, String),
    /// Whether they share a group: then every figure is the same.
    pub kept: bool,
    /// Cramér's V.
    pub cramers_v: Change<Option<f64>>,
    /// Mutual information in bits.
    pub mutual_information: Change<f64>,
    /// Of two numeric columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numeric: Option<NumericFigures>,
}

/// Two numeric columns before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumericFigures {
    /// Pearson's correlation.
    pub correlation: Change<Option<f64>>,
    /// The second column as a line over the first: intercept, slope, R².
    pub regression: Change<Option<[f64; 3]>>,
}

/// A figure before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change<T> {
    /// On the table.
    pub before: T,
    /// On the sliced table.
    pub after: T,
}

/// One column that (nearly) tells another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DependencyFigures {
    /// The column that tells.
    pub determinant: String,
    /// The column that is told.
    pub dependent: String,
    /// Share of rows for which it is right.
    pub share: f64,
    /// The same without knowing the determinant.
    pub without: f64,
}

/// From this share of rows on a column tells another.
const NEARLY: f64 = 0.95;

/// A slicing to be looked at.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The groups.
    pub groups: &'a ColumnGroups,
    /// The buckets.
    pub layout: &'a Layout,
    /// What was drawn.
    pub gathers: &'a Gathers,
    /// The columns of the groups before, as codes.
    pub before: &'a [&'a [u32]],
    /// Columns that every bucket gives away.
    pub known: &'a [usize],
    /// The numeric columns by place, with their numbers; NaN where a cell is missing.
    pub numeric: &'a [(usize, Vec<f64>)],
}

/// The figures before and after.
pub fn compare(what: &Compared<'_>) -> SliceUtility {
    let Compared { groups, layout, gathers, before, known, .. } = *what;
    let after = gathers.gather(groups, before);
    let after: Vec<&[u32]> = after.iter().map(Vec::as_slice).collect();
    let after_layout = gathers.layout(layout);
    let (old, new) = (Sliced { columns: before, layout }, Sliced { columns: &after, layout: &after_layout });
    let name = |column: usize| groups.columns()[column].rsplit('.').next().unwrap_or_default().to_owned();
    let mut pairs: Vec<PairFigures> = coded_pairs(groups, before, &after)
        .into_iter()
        .map(|pair| PairFigures {
            columns: (name(pair.columns.0), name(pair.columns.1)),
            kept: pair.fate == Fate::Kept
                || known.contains(&pair.columns.0)
                || known.contains(&pair.columns.1),
            cramers_v: change(pair.cramers_v, |v| v),
            mutual_information: change(pair.mutual_information, |bits| bits),
            numeric: None,
        })
        .collect();
    for (columns, figures) in numeric(what) {
        let names = (name(columns.0), name(columns.1));
        if let Some(pair) = pairs.iter_mut().find(|pair| pair.columns == names) {
            pair.numeric = Some(figures);
        }
    }
    let told = dependencies(groups, before, NEARLY).into_iter().map(|found| DependencyFigures {
        determinant: name(found.determinant),
        dependent: name(found.dependent),
        share: found.share,
        without: found.without,
    });
    SliceUtility {
        pairs,
        dependencies: told.collect(),
        invariants_hold: invariants(groups, old, new).is_ok(),
        suspicions: suspicions(groups, old, new).len() as u64,
    }
}

fn change<T, U>(comparison: Comparison<T>, shown: impl Fn(T) -> U) -> Change<U> {
    Change { before: shown(comparison.before), after: shown(comparison.after) }
}

/// Two columns, by their places.
type Pair = (usize, usize);

/// The figures of every two numeric columns.
fn numeric(what: &Compared<'_>) -> Vec<(Pair, NumericFigures)> {
    let released = what.groups.released();
    let copies = |(column, numbers): &(usize, Vec<f64>)| -> Vec<Vec<f64>> {
        let own = released.iter().filter(|released| released.source == *column);
        own.map(|released| {
            what.gathers.group(released.group).iter().map(|&row| numbers[row as usize]).collect()
        })
        .collect()
    };
    let after: Vec<Vec<Vec<f64>>> = what.numeric.iter().map(copies).collect();
    let after: Vec<Vec<&[f64]>> =
        after.iter().map(|copies| copies.iter().map(Vec::as_slice).collect()).collect();
    let columns: Vec<NumericColumn<'_>> = what
        .numeric
        .iter()
        .zip(&after)
        .map(|((column, before), after)| NumericColumn { column: *column, before, after })
        .collect();
    let line = |line: Option<Regression>| line.map(|line| [line.intercept, line.slope, line.r_squared]);
    let figures = numeric_pairs(what.groups, &columns).into_iter().map(|pair| {
        let figures = NumericFigures {
            correlation: change(pair.correlation, |r| r),
            regression: change(pair.regression, line),
        };
        (pair.columns, figures)
    });
    figures.collect()
}
