//! What slicing kept, from the rows of a plan.

use super::LowerError;
use super::code::codes;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use paravent_slicing::figures::{Compared, compare as figures};
use paravent_slicing::{ColumnGroups, Gathers, Layout};

pub use paravent_slicing::figures::{Change, DependencyFigures, NumericFigures, PairFigures, SliceUtility};

/// Whether figures before and after are computed; they cost more than the slicing itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compare {
    /// No.
    #[default]
    No,
    /// For every two columns.
    Pairs,
}

/// Compares the batches with what the gathers made of them.
pub(super) fn compare(
    groups: &ColumnGroups,
    layout: &Layout,
    gathers: &Gathers,
    known: &[usize],
    batches: &[RecordBatch],
) -> Result<SliceUtility, LowerError> {
    let width = groups.columns().len();
    let before: Vec<Vec<u32>> =
        (0..width).map(|column| codes(batches, &[column])).collect::<Result<_, _>>()?;
    let before: Vec<&[u32]> = before.iter().map(Vec::as_slice).collect();
    let numeric = numeric(width, batches)?;
    Ok(figures(&Compared { groups, layout, gathers, before: &before, known, numeric: &numeric }))
}

/// The numeric columns with their numbers.
fn numeric(width: usize, batches: &[RecordBatch]) -> Result<Vec<(usize, Vec<f64>)>, LowerError> {
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let mut columns = Vec::new();
    for column in (0..width).filter(|&column| first.column(column).data_type().is_numeric()) {
        let mut values = Vec::new();
        for batch in batches {
            let floats = cast(batch.column(column), &DataType::Float64)
                .map_err(|error| LowerError::Engine(error.into()))?;
            let floats = floats.as_primitive::<Float64Type>();
            values.extend(
                (0..floats.len()).map(|row| if floats.is_valid(row) { floats.value(row) } else { f64::NAN }),
            );
        }
        columns.push((column, values));
    }
    Ok(columns)
}
