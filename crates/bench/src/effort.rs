//! What snapshots and threads are worth: the same cases with other memory for snapshots of classes, and on other numbers of threads.
//!
//! Kohlmayer, "Datenschutz und biomedizinische Forschung", TU München 2015, sections 3.6 and 3.9.3, asks how many snapshots pay, and what threads do. One of the cases is
//! about presence, so that classes with a population are rolled up as well.

use crate::audience::Audience;
use crate::case::Case;
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::measure::{Settings, measure};
use crate::results::{CaseResult, EffortLine, EffortResult};
use crate::workload::{Overrides, Workload, cases};
use paravent_core::solve::Effort;

/// Memory for snapshots, on one thread.
const SNAPSHOTS: [usize; 4] = [0, 1 << 20, 1 << 24, 1 << 29];
/// Threads, with the usual memory for snapshots.
const THREADS: [usize; 3] = [1, 2, 4];
/// Promises of the cases.
const PROMISES: [&str; 3] = ["k=5", "k=5,lrecursive=4/3", "k=5,dpresence=0/0.2"];

/// Measures a data set; 5 % of the rows may be suppressed unless the user says otherwise.
pub(crate) fn measure_effort(
    dataset: &DataSet,
    overrides: &Overrides,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<EffortResult, BenchError> {
    let share = "0.05".parse().map_err(|_| BenchError::internal("no share".to_owned()))?;
    let suppression = overrides.suppression.clone().unwrap_or_else(|| vec![share]);
    let overrides = Overrides { suppression: Some(suppression), metric: overrides.metric };
    let planned = cases(Workload::Criteria, dataset, &overrides);
    let planned = planned.map_err(|error| BenchError::internal(error.to_string()))?;
    let wanted = |case: &&Case| PROMISES.contains(&case.promises.to_string().as_str());
    let by_snapshots =
        SNAPSHOTS.map(|bytes| Settings { threads: 1, snapshot_bytes: Some(bytes), ..settings.clone() });
    let by_threads = THREADS.map(|threads| Settings { threads, snapshot_bytes: None, ..settings.clone() });
    let all: Vec<&Settings> = by_snapshots.iter().chain(&by_threads).collect();
    let mut lines = Vec::new();
    let mut agree = true;
    for case in planned.iter().filter(wanted) {
        let mut found: Option<CaseResult> = None;
        for settings in &all {
            if audience.stop() {
                return Err(BenchError::Stopped);
            }
            let result = measure(dataset, case, settings, audience)?;
            let spent = (
                settings.thread_count(),
                settings.snapshot_bytes.unwrap_or(Effort::default().snapshot_bytes),
            );
            agree &= result.agree && found.as_ref().is_none_or(|found| found.same_optimum(&result));
            lines.extend(result.runs.iter().map(|run| EffortLine::of(&result, run, spent)));
            found.get_or_insert(result);
        }
    }
    Ok(EffortResult { dataset: dataset.name.clone(), rows: dataset.rows, lines, agree })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Nobody;
    use paravent_core::search::Algorithm;

    #[test]
    fn neither_snapshots_nor_threads_change_an_optimum() {
        let dataset = DataSet::generate(&"adult,rows=800".parse().unwrap()).unwrap();
        let settings = Settings {
            algorithms: vec![Algorithm::Flash],
            threads: 1,
            snapshot_bytes: None,
            repeat: 1,
            warm_up: 0,
            time_limit: None,
        };
        let result = measure_effort(&dataset, &Overrides::default(), &settings, &Nobody).unwrap();
        assert!(result.agree);
        assert_eq!(result.lines.len(), PROMISES.len() * (SNAPSHOTS.len() + THREADS.len()));
        // Without snapshots nothing is rolled up from them; with them fewer rows are looked at.
        let rollups = |bytes: usize| -> u64 {
            let lines =
                result.lines.iter().filter(|line| line.threads == 1 && line.snapshot_bytes == bytes as u64);
            lines.map(|line| line.rollups).sum()
        };
        assert!(rollups(0) < rollups(1 << 24), "{} {}", rollups(0), rollups(1 << 24));
    }
}
