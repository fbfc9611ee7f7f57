//! What snapshots and threads are worth.

use super::numbers::{count, time};
use super::{CaseResult, RunResult, agree};
use crate::case::share;
use paravent_core::words::{Columns, Lean};
use serde::Serialize;

/// The cases of a table with other memory for snapshots, and on other numbers of threads.
#[derive(Debug, Clone, Serialize)]
pub struct EffortResult {
    /// Name of the table.
    pub dataset: String,
    /// Its rows.
    pub rows: usize,
    /// One per case, setting and algorithm.
    pub lines: Vec<EffortLine>,
    /// Whether every case has one optimum, whatever the setting.
    pub agree: bool,
}

/// One algorithm on one case with one setting.
#[derive(Debug, Clone, Serialize)]
pub struct EffortLine {
    /// The promises.
    pub privacy: String,
    /// Share of rows that may be suppressed.
    pub suppression: f64,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Threads of the search.
    pub threads: usize,
    /// Memory for snapshots of classes, in bytes.
    pub snapshot_bytes: u64,
    /// Median of the search.
    pub median_ms: Option<f64>,
    /// Median of the processor's time, all threads together.
    pub processor_ms: Option<f64>,
    /// Nodes whose classes were formed and judged.
    pub checks: u64,
    /// Groupings that started from the classes of another node.
    pub rollups: u64,
    /// Most memory held by tuples and snapshots.
    pub peak_bytes: u64,
}

impl EffortLine {
    pub(crate) fn of(
        case: &CaseResult,
        run: &RunResult,
        (threads, snapshot_bytes): (usize, usize),
    ) -> EffortLine {
        EffortLine {
            privacy: case.privacy.clone(),
            suppression: case.suppression,
            algorithm: run.algorithm.clone(),
            threads,
            snapshot_bytes: snapshot_bytes as u64,
            median_ms: run.median_ms,
            processor_ms: run.processor_ms,
            checks: run.checks,
            rollups: run.rollups,
            peak_bytes: run.peak_bytes,
        }
    }
}

impl CaseResult {
    /// Whether all runs of both claim the same optimum.
    pub(crate) fn same_optimum(&self, other: &CaseResult) -> bool {
        agree(&[self.runs.as_slice(), other.runs.as_slice()].concat())
    }
}

/// As aligned text.
pub(super) fn text(result: &EffortResult) -> String {
    use Lean::{Left, Right};
    let mut table = Columns::headed(&[
        ("promises", Left),
        ("algorithm", Left),
        ("threads", Right),
        ("snapshots", Right),
        ("median", Right),
        ("processor", Right),
        ("checks", Right),
        ("roll-ups", Right),
        ("memory", Right),
    ]);
    let shown = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), time);
    let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    for line in &result.lines {
        table.row(vec![
            format!("{}, {}", line.privacy, share(line.suppression)),
            line.algorithm.clone(),
            line.threads.to_string(),
            mebibytes(line.snapshot_bytes),
            shown(line.median_ms),
            shown(line.processor_ms),
            count(u128::from(line.checks)),
            count(u128::from(line.rollups)),
            mebibytes(line.peak_bytes),
        ]);
    }
    let told = if result.agree {
        "All settings find the same optimum.\n"
    } else {
        "SETTINGS DISAGREE about an optimum\n"
    };
    let EffortResult { dataset, rows, .. } = result;
    format!("{dataset}, {} rows: snapshots and threads\n{}{told}", count(*rows as u128), table.render())
}
