//! What a frequency attack reads, column by column and over all cells.

use paravent_federation::{Plan, Reading};
use serde_json::{Value, json};

/// Shares of cells: by who knows the numbers, who knows those of every tenth row, who counts different rows, and by a blind guess.
pub type Shares = [f64; 4];

fn shares(reading: &Reading) -> Shares {
    [reading.knowing, reading.estimating, reading.different_rows, reading.blind]
}

/// Over all cells: every column has as many.
pub(super) fn on_average(readings: &[Reading]) -> Option<Shares> {
    let mut mean = [0.0; 4];
    for reading in readings {
        mean.iter_mut().zip(shares(reading)).for_each(|(sum, share)| *sum += share / readings.len() as f64);
    }
    (!readings.is_empty()).then_some(mean)
}

/// The figures; null if they were not asked for.
pub(super) fn json(plan: &Plan, readings: &[Reading]) -> Value {
    let entry = |[knowing, estimating, different_rows, blind]: Shares| json!({ "knowing": knowing, "estimating": estimating, "different_rows": different_rows, "blind": blind });
    let columns = readings.iter().map(|reading| {
        let mut column = entry(shares(reading));
        column["column"] = json!(plan.columns[usize::from(reading.column)].name);
        column["values"] = json!(reading.values);
        column
    });
    let columns: Vec<Value> = columns.collect();
    on_average(readings).map_or(Value::Null, |mean| json!({ "all": entry(mean), "columns": columns }))
}
