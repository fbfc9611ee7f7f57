//! Other anonymous nodes beside the solution, for those who want to choose themselves.

use super::{RunError, RunOptions, dry_run};
use crate::choose::{Levels, labels_at};
use paravent_core::lattice::Node;
use paravent_core::release::Solution;
use paravent_job::{self as job, Problems};
use paravent_prepare::study::Study;
use paravent_tables::watch::Watch;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Another anonymous node.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Alternative {
    /// Level of every quasi-identifier, in job order.
    pub transformation: Map<String, Value>,
    /// Its loss.
    pub loss: f64,
    /// Rows it would suppress.
    pub suppressed_rows: u64,
    /// What it shows of the columns that the solution shows otherwise.
    pub labels: Map<String, Value>,
}

/// The levels of the alternative with this number, counted from 1, as a dry run lists them.
///
/// # Errors
/// As [`dry_run`]; and if there are fewer.
pub fn pick(path: &Path, options: &RunOptions, number: usize, watch: &dyn Watch) -> Result<Levels, RunError> {
    let finished = dry_run(path, options, watch)?;
    let alternatives = finished.alternatives.len();
    let picked = number.checked_sub(1).and_then(|index| finished.alternatives.get(index));
    let Some(picked) = picked else {
        let message = format!("--pick {number}: there are {alternatives} alternatives, counted from 1");
        let problem = job::Problem::new(path, message);
        return Err(Problems::from(problem.advise("List them with --dry-run")).into());
    };
    let level = |(name, level): (&String, &Value)| Some((name.clone(), u8::try_from(level.as_u64()?).ok()?));
    Ok(Levels(picked.transformation.iter().filter_map(level).collect()))
}

/// Alternatives shown by a dry run.
const MOST_ALTERNATIVES: usize = 10;

/// Direct neighbours of the solution, up and down, that keep the promises: what a user would try next.
pub(super) fn alternatives(study: &Study, solution: &Solution) -> Vec<Alternative> {
    let checker = study.checker();
    let lattice = study.task.lattice();
    let mut found: Vec<Alternative> = Vec::new();
    // Boxes have no neighbours that somebody would name.
    if solution.boxes.is_some() {
        return found;
    }
    for column in 0..lattice.dimensions() {
        let level = solution.node.levels()[column];
        let below = level.checked_sub(1).filter(|&lower| lower >= lattice.lowest()[column]);
        let above = level.checked_add(1).filter(|&higher| higher <= lattice.highest()[column]);
        for level in below.into_iter().chain(above) {
            let neighbour = solution.node.with_level(column, level);
            for other in [None].into_iter().chain((0..lattice.dimensions()).map(Some)) {
                // One level less here paid for by one more there.
                let node = match other {
                    None => neighbour.clone(),
                    Some(other)
                        if other != column && neighbour.levels()[other] < lattice.highest()[other] =>
                    {
                        neighbour.with_level(other, neighbour.levels()[other] + 1)
                    }
                    Some(_) => continue,
                };
                if let Ok(verdict) = checker.check(&node)
                    && verdict.holds
                {
                    let transformation = study.transformation(&node);
                    let (loss, suppressed_rows) = (verdict.loss, verdict.suppressed_rows);
                    let labels = other_labels(study, &solution.node, &node);
                    found.push(Alternative { transformation, loss, suppressed_rows, labels });
                }
            }
        }
    }
    found.sort_by(|a, b| {
        a.loss
            .total_cmp(&b.loss)
            .then_with(|| json!(a.transformation).to_string().cmp(&json!(b.transformation).to_string()))
    });
    found.dedup_by(|a, b| a.transformation == b.transformation);
    found.truncate(MOST_ALTERNATIVES);
    found
}

/// By column on another level: labels that enough rows would show.
fn other_labels(study: &Study, solution: &Node, other: &Node) -> Map<String, Value> {
    let least = study.task.criteria().least_class_size();
    let levels = solution.levels().iter().zip(other.levels()).enumerate();
    let changed = levels.filter(|(_, (now, then))| now != then);
    let labels = changed.map(|(position, (_, &level))| {
        let shown =
            labels_at(&study.task.ladders()[position], level, study.counted.rows_by_code(position), least);
        let name = study.counted.columns[position].name.clone();
        (name, json!({ "shown": shown.named, "distinct": shown.distinct }))
    });
    labels.collect()
}
