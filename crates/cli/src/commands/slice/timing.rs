//! `paravent slice --timing`

use super::args::Slicing;
use super::failed::failure;
use super::{job, read};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::layout::Columns;
use paravent_pipeline::slice::timed;
use serde_json::json;

/// The numbers of buckets of Grunert & Heuer 2015.
const BUCKETS: [u32; 12] = [1, 2, 5, 10, 25, 50, 75, 100, 200, 300, 400, 500];
/// Runs of which the median is shown.
const RUNS: u32 = 10;

/// Prints a line per number of buckets.
pub(super) fn run(args: &Slicing) -> Result<Answer, Failure> {
    let job = job(args.job.as_deref())?;
    let table = read(args.table()?, job.as_ref().map(|(job, _)| job))?;
    let measured = timed(&table, &args.groups()?, &BUCKETS, RUNS).map_err(failure)?;
    let mut columns = Columns::default();
    columns.row(["buckets", "hSplit", "vSplit", "permute/join", "union", "sum"]);
    for phases in &measured {
        let figures = [phases.horizontal, phases.vertical, phases.permute, phases.union, phases.sum()];
        let cells = figures.iter().map(|figure| format!("{figure:.2}"));
        columns.row([phases.buckets.to_string()].into_iter().chain(cells));
    }
    let text = format!(
        "{} rows, milliseconds, the median of {RUNS} runs; without reading and writing\n{}",
        table.rows,
        columns.render()
    );
    Ok(Answer::of_text(text, json!({ "rows": table.rows, "runs": RUNS, "phases": measured })))
}
