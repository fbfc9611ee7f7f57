//! What slicing kept: associations of every two columns before and after, and what could undo it.
//!
//! Figures of the table before are facts about the people in it. They are for the house; what leaves it is the sliced table.

use super::LowerError;
use super::code::codes;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use paravent_slicing::checks::{Sliced, dependencies, invariants, suspicions};
use paravent_slicing::utility::{Comparison, Fate, NumericColumn, Regression, coded_pairs, numeric_pairs};
use paravent_slicing::{ColumnGroups, Gathers, Layout};
use serde::Serialize;

/// Whether figures before and after are computed; they cost more than the slicing itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compare {
    /// No.
    #[default]
    No,
    /// For every two columns.
    Pairs,
}

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

/// Compares the batches with what the gathers made of them.
pub(super) fn compare(
    groups: &ColumnGroups,
    layout: &Layout,
    gathers: &Gathers,
    batches: &[RecordBatch],
) -> Result<SliceUtility, LowerError> {
    let width = groups.columns().len();
    let before: Vec<Vec<u32>> =
        (0..width).map(|column| codes(batches, &[column])).collect::<Result<_, _>>()?;
    let before: Vec<&[u32]> = before.iter().map(Vec::as_slice).collect();
    let after = gathers.gather(groups, &before);
    let after: Vec<&[u32]> = after.iter().map(Vec::as_slice).collect();
    let after_layout = gathers.layout(layout);
    let (old, new) = (Sliced { columns: &before, layout }, Sliced { columns: &after, layout: &after_layout });
    let name = |column: usize| groups.columns()[column].rsplit('.').next().unwrap_or_default().to_owned();
    let mut pairs: Vec<PairFigures> = coded_pairs(groups, &before, &after)
        .into_iter()
        .map(|pair| PairFigures {
            columns: (name(pair.columns.0), name(pair.columns.1)),
            kept: pair.fate == Fate::Kept,
            cramers_v: change(pair.cramers_v, |v| v),
            mutual_information: change(pair.mutual_information, |bits| bits),
            numeric: None,
        })
        .collect();
    for (columns, figures) in numeric(groups, gathers, batches)? {
        let names = (name(columns.0), name(columns.1));
        if let Some(pair) = pairs.iter_mut().find(|pair| pair.columns == names) {
            pair.numeric = Some(figures);
        }
    }
    let told = dependencies(groups, &before, NEARLY).into_iter().map(|found| DependencyFigures {
        determinant: name(found.determinant),
        dependent: name(found.dependent),
        share: found.share,
        without: found.without,
    });
    Ok(SliceUtility {
        pairs,
        dependencies: told.collect(),
        invariants_hold: invariants(groups, old, new).is_ok(),
        suspicions: suspicions(groups, old, new).len() as u64,
    })
}

fn change<T, U>(comparison: Comparison<T>, shown: impl Fn(T) -> U) -> Change<U> {
    Change { before: shown(comparison.before), after: shown(comparison.after) }
}

/// Two columns, by their places.
type Pair = (usize, usize);

/// The figures of every two numeric columns.
fn numeric(
    groups: &ColumnGroups,
    gathers: &Gathers,
    batches: &[RecordBatch],
) -> Result<Vec<(Pair, NumericFigures)>, LowerError> {
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let is_numeric = |&column: &usize| first.column(column).data_type().is_numeric();
    let numeric: Vec<usize> = (0..groups.columns().len()).filter(is_numeric).collect();
    let mut before: Vec<Vec<f64>> = Vec::new();
    for &column in &numeric {
        let mut values = Vec::new();
        for batch in batches {
            let floats = cast(batch.column(column), &DataType::Float64)
                .map_err(|error| LowerError::Engine(error.into()))?;
            let floats = floats.as_primitive::<Float64Type>();
            values.extend(
                (0..floats.len()).map(|row| if floats.is_valid(row) { floats.value(row) } else { f64::NAN }),
            );
        }
        before.push(values);
    }
    let released = groups.released();
    let copies = |(place, &column): (usize, &usize)| -> Vec<Vec<f64>> {
        let own = released.iter().filter(|released| released.source == column);
        own.map(|released| {
            gathers.group(released.group).iter().map(|&row| before[place][row as usize]).collect()
        })
        .collect()
    };
    let after: Vec<Vec<Vec<f64>>> = numeric.iter().enumerate().map(copies).collect();
    let after: Vec<Vec<&[f64]>> =
        after.iter().map(|copies| copies.iter().map(Vec::as_slice).collect()).collect();
    let columns: Vec<NumericColumn<'_>> = numeric
        .iter()
        .enumerate()
        .map(|(place, &column)| NumericColumn { column, before: &before[place], after: &after[place] })
        .collect();
    let line = |line: Option<Regression>| line.map(|line| [line.intercept, line.slope, line.r_squared]);
    let figures = numeric_pairs(groups, &columns).into_iter().map(|pair| {
        let figures = NumericFigures {
            correlation: change(pair.correlation, |r| r),
            regression: change(pair.regression, line),
        };
        (pair.columns, figures)
    });
    Ok(figures.collect())
}
