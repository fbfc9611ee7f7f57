//! The search for the best node of a study.

use super::local::LocalFacts;
use super::prepare::{Study, StudyError};
use super::task::snapshot_bytes;
use paravent_core::release::Solution;
use paravent_core::search::{Algorithm, Flow, NoGuarantee, Observer, Progress, SearchError, SearchReport};
use paravent_core::solve::{Effort, NodeChecker};
use paravent_core::task::Task;
use paravent_job::{self as job, Problems};
use paravent_tables::encode::{Counted, ScanError};
use paravent_tables::watch::{Phase, Watch};
use std::time::{Duration, Instant};

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The search's own account.
    pub report: SearchReport,
    /// The best node applied; `None` when there is none.
    pub solution: Option<Solution>,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// Why it may have missed the optimum; only where the job insists on the algorithm.
    pub doubt: Option<NoGuarantee>,
    /// Case of monotonicity.
    pub case: u8,
    /// Checks that started from a snapshot.
    pub rollups: u64,
    /// Most memory held by tuples and snapshots.
    pub peak_bytes: usize,
    /// Threads used.
    pub threads: usize,
    /// Time it took.
    pub elapsed: Duration,
    /// Where every class has a box of its own.
    pub local: Option<LocalFacts>,
}

impl Study {
    /// A checker over the counted table.
    pub fn checker(&self) -> NodeChecker<'_> {
        self.checker_of(&self.task)
    }

    /// A checker of a variant of the task.
    pub(super) fn checker_of<'a>(&self, task: &'a Task) -> NodeChecker<'a> {
        task.checker(snapshot_bytes(&self.job, &self.counted))
    }

    /// Looks for the best node. Where monotonicity is only assumed, or the job insists on an algorithm without a guarantee, "there
    /// is none" would be only assumed, too: then the search is made again without the assumption and with the guarantee.
    pub fn search(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        JobSearch { job: &self.job, counted: &self.counted, watch }.search(&self.task)
    }
}

/// The search that a job asks for: how long, on how many threads, with how much memory.
pub(super) struct JobSearch<'a> {
    pub(super) job: &'a job::Job,
    pub(super) counted: &'a Counted,
    pub(super) watch: &'a dyn Watch,
}

impl JobSearch<'_> {
    /// Searches, and again without assumptions where "there is none" was only assumed.
    pub(super) fn search(&self, task: &Task) -> Result<Found, StudyError> {
        let found = self.search_with(task, self.job.search.algorithm.or(Algorithm::BestFirst))?;
        if found.solution.is_some() || found.report.optimal || !found.report.complete {
            return Ok(found);
        }
        self.search_with(&task.without_assumptions(), Algorithm::BestFirst)
    }

    fn search_with(&self, task: &Task, algorithm: Algorithm) -> Result<Found, StudyError> {
        self.watch.begin(Phase::Searching);
        let started = Instant::now();
        let doubt = task.guarantee(algorithm).err();
        if let Some(doubt) = doubt.filter(|_| !self.job.search.force) {
            let sure = Algorithm::ALL.into_iter().filter(|&other| task.guarantee(other).is_ok());
            return Err(self.no_guarantee(algorithm, doubt, sure).into());
        }
        let deadline = self.job.search.time_limit().map(|limit| started + limit);
        let effort = Effort {
            threads: threads(self.job.search.threads),
            snapshot_bytes: snapshot_bytes(self.job, self.counted),
            observer: &Patience { watch: self.watch, deadline },
        };
        let searched = task.search(algorithm, &effort).map_err(|error| self.search_problem(error))?;
        if self.watch.stop() {
            return Err(ScanError::Stopped.into());
        }
        let elapsed = started.elapsed();
        let (stats, solution) = (searched.stats(), searched.solution()?);
        let mut report = searched.report;
        report.optimal &= doubt.is_none();
        Ok(Found {
            case: task.case().number(),
            report,
            solution,
            algorithm,
            doubt,
            rollups: stats.rollups,
            peak_bytes: stats.peak_bytes,
            threads: effort.threads,
            elapsed,
            local: None,
        })
    }

    fn no_guarantee(
        &self,
        algorithm: Algorithm,
        doubt: NoGuarantee,
        sure: impl Iterator<Item = Algorithm>,
    ) -> Problems {
        let name = algorithm.name();
        let message = format!("{name} cannot guarantee the best release here: {doubt}");
        let sure: Vec<&str> = sure.map(Algorithm::name).collect();
        let advice = format!(
            "Write algorithm = \"auto\", or one of {}; or add force = true to take what {name} finds, best or not",
            sure.join(", ")
        );
        self.job.problem("search.algorithm", message).advise(advice).into()
    }

    /// A lattice too large to enumerate is a matter of the job: say how to shrink it.
    fn search_problem(&self, error: SearchError) -> StudyError {
        match error {
            SearchError::Lattice(lattice) => {
                let problem = self.job.problem("attributes", lattice.to_string());
                let advice = "Raise min_level or lower max_level of quasi-identifiers, use hierarchies with fewer levels, \
                              or declare fewer quasi-identifiers";
                problem.advise(advice).into()
            }
            other => other.into(),
        }
    }
}

pub(super) fn threads(asked: u32) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n as usize,
    }
}

/// By how much a loss can still be beaten, in percent of it.
pub fn gap(loss: Option<f64>, bound: Option<f64>) -> Option<f64> {
    let (loss, bound) = (loss?, bound?);
    (bound.is_finite() && loss > 0.0).then(|| (100.0 * (loss - bound) / loss).clamp(0.0, 100.0))
}

/// Stops a search when time is up or a stop is requested.
pub(super) struct Patience<'a> {
    pub(super) watch: &'a dyn Watch,
    pub(super) deadline: Option<Instant>,
}

impl Observer for Patience<'_> {
    fn after_check(&self, progress: &Progress) -> Flow {
        self.watch.advance(progress.decided, u64::try_from(progress.nodes).ok());
        if let Some(gap) = gap(progress.best_loss, progress.bound) {
            self.watch.gap(gap);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.watch.stop() { Flow::Stop } else { Flow::Continue }
    }
}
