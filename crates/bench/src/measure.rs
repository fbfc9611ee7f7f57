//! Runs the algorithms on a case and takes their measure.

use crate::aggregation;
use crate::audience::Audience;
use crate::case::Case;
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::prepare::Prepared;
use crate::resident;
use crate::results::{CaseResult, Outcome, RunResult};
use crate::stopwatch::{Lap, Stopwatch};
use crate::timing::{Timings, milliseconds};
use paravent_core::search::{Algorithm, Best, Flow, Observer, Progress, SearchError, SearchReport};
use paravent_core::solve::Effort;
use serde_json::{Map, json};
use std::time::{Duration, Instant};

/// How runs are made.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which algorithms, in the order of the report.
    pub algorithms: Vec<Algorithm>,
    /// Threads of the search; 0: all cores.
    pub threads: usize,
    /// Memory for snapshots of classes, in bytes, where it is not the usual one.
    pub snapshot_bytes: Option<usize>,
    /// Measured runs; the median counts.
    pub repeat: usize,
    /// Runs before them.
    pub warm_up: usize,
    /// A run is stopped after this long.
    pub time_limit: Option<Duration>,
}

impl Settings {
    /// The number of threads that 0 stands for.
    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

/// Measures one case.
pub(crate) fn measure(
    dataset: &DataSet,
    case: &Case,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<CaseResult, BenchError> {
    let before = aggregation::measure(dataset);
    let prepared = Prepared::new(dataset, case)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| BenchError::internal(error.to_string()))?;
    let number = prepared.task.case().number();
    let mut runs = Vec::new();
    for &algorithm in &settings.algorithms {
        let bout = Bout { dataset, case, prepared: &prepared, settings, audience, algorithm };
        runs.push(pool.install(|| bout.run())?);
    }
    // Memory that is new to the process takes longer to fill, so the first measure may be too long a unit.
    let aggregation = before.shorter(aggregation::measure(dataset));
    for run in &mut runs {
        // One thread against one thread in time of the processor, so that nobody else's work counts.
        let compared = if settings.thread_count() == 1 { run.processor_ms } else { run.median_ms };
        run.hash_aggregations = compared.map(|ms| ms / milliseconds(aggregation.median).max(1e-6));
    }
    Ok(CaseResult::new(dataset, case, &prepared, &aggregation, (number, runs)))
}

/// One algorithm on one case.
struct Bout<'a> {
    dataset: &'a DataSet,
    case: &'a Case,
    prepared: &'a Prepared,
    settings: &'a Settings,
    audience: &'a dyn Audience,
    algorithm: Algorithm,
}

/// The times of the measured runs.
#[derive(Default)]
struct Laps {
    wall: Timings,
    processor: Timings,
}

impl Laps {
    fn add(&mut self, lap: Lap) {
        self.wall.add(lap.wall);
        self.processor.add(lap.processor);
    }
}

/// What one search did.
struct Searched {
    report: SearchReport,
    rollups: u64,
    peak_bytes: usize,
    lap: Lap,
}

impl Bout<'_> {
    fn run(&self) -> Result<RunResult, BenchError> {
        let name = self.algorithm.name();
        let mut laps = Laps::default();
        let mut last = None;
        resident::forget_peak();
        for repetition in 0..self.settings.warm_up + self.settings.repeat.max(1) {
            self.audience.run(name, (repetition + 1).saturating_sub(self.settings.warm_up));
            let searched = match self.search() {
                Ok(searched) => searched,
                Err(error) => return Ok(RunResult::not_applicable(name, &error)),
            };
            if self.audience.stop() {
                return Err(BenchError::Stopped);
            }
            let unfinished = !searched.report.complete;
            if repetition >= self.settings.warm_up || unfinished {
                laps.add(searched.lap);
            }
            last = Some(searched);
            // A run that came to its limit will come to it again.
            if unfinished {
                break;
            }
        }
        let Some(searched) = last else { return Err(BenchError::internal("nothing was run".to_owned())) };
        Ok(self.result(&searched, &laps))
    }

    fn search(&self) -> Result<Searched, SearchError> {
        let (watch, started) = (Stopwatch::start(), Instant::now());
        let deadline = self.settings.time_limit.map(|limit| started + limit);
        let patience = Patience { audience: self.audience, deadline };
        let threads = self.settings.thread_count();
        let usual = Effort::default();
        let snapshot_bytes = self.settings.snapshot_bytes.unwrap_or(usual.snapshot_bytes);
        let effort = Effort { threads, snapshot_bytes, observer: &patience };
        let searched = self.prepared.task.search(self.algorithm, &effort)?;
        let lap = watch.lap();
        let (stats, report) = (searched.stats(), searched.report);
        Ok(Searched { report, rollups: stats.rollups, peak_bytes: stats.peak_bytes, lap })
    }

    fn result(&self, searched: &Searched, laps: &Laps) -> RunResult {
        let report = &searched.report;
        let nodes = &report.nodes;
        let median = laps.wall.median();
        let seconds = median.as_secs_f64().max(1e-9);
        RunResult {
            algorithm: self.algorithm.name().to_owned(),
            outcome: match (report.complete, &report.best) {
                (false, _) => Outcome::TimeLimit,
                (true, Some(_)) => Outcome::Found,
                (true, None) => Outcome::NoSolution,
            },
            reason: None,
            optimal: report.optimal,
            median_ms: Some(milliseconds(median)),
            min_ms: Some(milliseconds(laps.wall.min())),
            processor_ms: Some(milliseconds(laps.processor.median())),
            // Known when all runs are made.
            hash_aggregations: None,
            times_fastest: None,
            rows_per_second: Some(self.dataset.rows as f64 / seconds),
            checks: report.checks,
            subset_tests: report.subset_tests,
            rollups: searched.rollups,
            tagged: (nodes.total - nodes.undecided).saturating_sub(report.checks),
            peak_bytes: searched.peak_bytes as u64,
            peak_resident_bytes: resident::peak_bytes(),
            node: report.best.as_ref().map(|best| best.node.levels().to_vec()),
            transformation: report.best.as_ref().map(|best| self.transformation(best)),
            loss: report.best.as_ref().map(|best| best.loss),
            suppressed_rows: report.best.as_ref().map(|best| best.suppressed_rows),
        }
    }

    fn transformation(&self, best: &Best) -> Map<String, serde_json::Value> {
        let name = |position: usize| self.dataset.columns[position].coded.name.clone();
        let levels = self.case.quasi_identifiers.iter().zip(best.node.levels());
        levels.map(|(&position, &level)| (name(position), json!(level))).collect()
    }
}

/// Stops a search when time is up or a stop is requested.
struct Patience<'a> {
    audience: &'a dyn Audience,
    deadline: Option<Instant>,
}

impl Observer for Patience<'_> {
    fn after_check(&self, _: &Progress) -> Flow {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.audience.stop() { Flow::Stop } else { Flow::Continue }
    }
}
