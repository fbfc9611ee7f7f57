//! α^D on parts: rows (D12) or columns (D13). Draws are keyed by row and column, so every form shows the same cells.

use super::{Timer, ranges};
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::results::FormTime;
use paravent_noise::draw::{Drawer, Plan, Secret, Stream};
use paravent_noise::{Distribution, Probability, Response};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The chance that a cell is redrawn.
const REDRAWN: &str = "0.2";
/// Parts of a horizontal split.
const PARTS: usize = 16;

/// Codes by column.
type Cells = Vec<Vec<u32>>;

pub(super) fn measure(dataset: &DataSet, timer: &Timer<'_>) -> Result<Vec<FormTime>, BenchError> {
    let secret = Secret::from_seed(1);
    let plans: Vec<Arc<Plan>> =
        dataset.columns.iter().map(|column| plan(column.coded.dictionary.len())).collect::<Result<_, _>>()?;
    let drawn = |rows: Range<usize>, column: usize| -> Result<Vec<u32>, BenchError> {
        let mut codes = dataset.columns[column].codes[rows.clone()].to_vec();
        let stream = Stream { operator: 1, attribute: column as u32 };
        let drawer = Drawer::new(&secret, stream, Arc::clone(&plans[column]));
        let mut drawer = drawer;
        drawer
            .apply(rows.start as u64, &mut codes)
            .map_err(|error| BenchError::internal(error.to_string()))?;
        Ok(codes)
    };
    let columns = 0..dataset.columns.len();
    let (cells, whole) = timer.form(("α^D", "whole"), || {
        columns.clone().map(|column| drawn(0..dataset.rows, column)).collect::<Result<Cells, _>>()
    })?;
    let (by_rows, horizontal) = timer.form(("α^D", "horizontal, 16 parts"), || {
        let part = |rows: Range<usize>| {
            columns.clone().map(|column| drawn(rows.clone(), column)).collect::<Result<Cells, _>>()
        };
        ranges(dataset.rows, PARTS).into_par_iter().map(part).collect::<Result<Vec<Cells>, _>>()
    })?;
    let (by_columns, vertical) = timer.form(("α^D", "vertical, by column"), || {
        columns
            .clone()
            .into_par_iter()
            .map(|column| drawn(0..dataset.rows, column))
            .collect::<Result<Cells, _>>()
    })?;
    let together: Cells = columns
        .clone()
        .map(|column| by_rows.iter().flat_map(|part| part[column].iter().copied()).collect())
        .collect();
    Ok(vec![
        FormTime { same_cells: Some(true), ..whole },
        FormTime { same_cells: Some(together == cells), ..horizontal },
        FormTime { same_cells: Some(by_columns == cells), ..vertical },
    ])
}

fn plan(values: usize) -> Result<Arc<Plan>, BenchError> {
    let failed = |error: String| BenchError::internal(error);
    let p = Probability::parse(REDRAWN).map_err(|error| failed(error.to_string()))?;
    let values = Distribution::uniform(values as u32).map_err(|error| failed(error.to_string()))?;
    let plan = Plan::new(&Response::new(p, values)).map_err(|error| failed(error.to_string()))?;
    Ok(Arc::new(plan))
}
