//! What a frequency attack reads, as text and as JSON.

use crate::layout::{Columns, count};
use paravent_federation::{Plan, Protocol, Reading};
use serde_json::{Value, json};

/// By who knows the numbers, who knows those of every tenth row, who counts different rows, and by a blind guess.
type Shares = [f64; 4];

fn shares(reading: &Reading) -> Shares {
    [reading.knowing, reading.estimating, reading.different_rows, reading.blind]
}

/// Over all cells: every column has as many.
fn on_average(readings: &[Reading]) -> Option<Shares> {
    let mut mean = [0.0; 4];
    for reading in readings {
        mean.iter_mut().zip(shares(reading)).for_each(|(sum, share)| *sum += share / readings.len() as f64);
    }
    (!readings.is_empty()).then_some(mean)
}

/// A line per column, and one for all cells.
pub fn text(plan: &Plan, readings: &[Reading]) -> String {
    let who = if plan.protocol == Protocol::A { "the master" } else { "the helper" };
    let mut lines = Columns::default();
    lines.row(["column", "values", "numbers", "a tenth", "different rows", "blind guess"]);
    let mut line = |name: &str, values: &str, shares: Shares| {
        let [knowing, estimating, different, blind] = shares.map(|share| format!("{:.1} %", share * 100.0));
        lines.row([name, values, &knowing, &estimating, &different, &blind]);
    };
    for reading in readings {
        let name = &plan.columns[usize::from(reading.column)].name;
        line(name, &count(reading.values as u64), shares(reading));
    }
    if let Some(mean) = on_average(readings) {
        line("all cells", "", mean);
    }
    let what = "knowing how often values occur, knowing it of every tenth row, counting different rows, and guessing";
    format!("Cells that {who} reads by matching ranks: {what}\n{}", lines.render())
}

/// The same figures; null where nobody asked for them.
pub fn json(plan: &Plan, readings: &[Reading]) -> Value {
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
