//! The search for the best node of a study.

use super::prepare::{Study, StudyError, criteria};
use crate::encode::ScanError;
use crate::job::{self, Problems};
use crate::watch::{Phase, Watch};
use paravent_core::criteria::Criteria;
use paravent_core::hierarchy::Ladder;
use paravent_core::lattice::{Lattice, NodeOrder};
use paravent_core::quality::Metric;
use paravent_core::release::Solution;
use paravent_core::search::{
    Algorithm, Flow, LocalChecker, LossBy, NoGuarantee, Observer, Problem as SearchProblem, Progress,
    SearchError, SearchInput, SearchReport,
};
use paravent_core::table::FrequencyTable;
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
}
/// Memory for snapshots where the job does not say.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// What a search looks at: the counted tuples of a study, or of a question about tuples counted elsewhere.
pub(super) struct Ground<'a> {
    pub(super) job: &'a job::Job,
    pub(super) table: &'a FrequencyTable,
    pub(super) ladders: &'a [Ladder],
    pub(super) weights: &'a [f64],
    pub(super) lattice: &'a Lattice,
    pub(super) order: &'a NodeOrder,
    pub(super) suppression_limit: u64,
}

impl Study {
    fn ground(&self) -> Ground<'_> {
        Ground {
            job: &self.job,
            table: &self.table,
            ladders: &self.ladders,
            weights: &self.weights,
            lattice: &self.lattice,
            order: &self.order,
            suppression_limit: self.suppression_limit,
        }
    }

    /// A checker over the counted table.
    pub fn checker(&self) -> LocalChecker<'_> {
        self.checker_with(&self.criteria, self.suppression_limit)
    }

    pub(super) fn checker_with<'a>(
        &'a self,
        criteria: &'a Criteria,
        suppression_limit: u64,
    ) -> LocalChecker<'a> {
        self.ground().checker(criteria, suppression_limit)
    }

    /// Looks for the best node. Where monotonicity is only assumed, or the job insists on an algorithm without a guarantee, "there
    /// is none" would be only assumed, too: then the search is made again without the assumption and with the guarantee.
    pub fn search(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        let proven = || criteria(&self.translation(), &self.job.privacy.models, self.suppression_limit);
        self.ground().search(&self.criteria, proven, watch)
    }
}

impl<'a> Ground<'a> {
    fn checker<'c>(&self, criteria: &'c Criteria, suppression_limit: u64) -> LocalChecker<'c>
    where
        'a: 'c,
    {
        let memory = self.job.search.memory.map_or(DEFAULT_MEMORY, |memory| memory.bytes());
        LocalChecker::new(SearchInput {
            table: self.table,
            ladders: self.ladders,
            weights: self.weights,
            criteria,
            metric: metric(self.job.search.metric),
            suppression_limit,
            history_bytes: usize::try_from(memory / 2).unwrap_or(usize::MAX),
        })
    }

    /// Searches under the criteria, and again under the `proven` ones where "there is none" was only assumed.
    pub(super) fn search(
        &self,
        assumed: &Criteria,
        proven: impl FnOnce() -> Result<Criteria, Problems>,
        watch: &dyn Watch,
    ) -> Result<Found, StudyError> {
        let asked = algorithm(self.job.search.algorithm);
        let found = self.search_with(assumed, asked, watch)?;
        if found.solution.is_some() || found.report.optimal || !found.report.complete {
            return Ok(found);
        }
        self.search_with(&proven()?, Algorithm::BestFirst, watch)
    }

    fn search_with(
        &self,
        criteria: &Criteria,
        algorithm: Algorithm,
        watch: &dyn Watch,
    ) -> Result<Found, StudyError> {
        watch.begin(Phase::Searching);
        let started = Instant::now();
        let checker = self.checker(criteria, self.suppression_limit);
        let loss = LossBy::of(metric(self.job.search.metric), self.weights);
        let doubt = algorithm.guarantees(checker.case(), loss).err();
        if let Some(doubt) = doubt.filter(|_| !self.job.search.force) {
            let sure =
                Algorithm::ALL.into_iter().filter(|other| other.guarantees(checker.case(), loss).is_ok());
            return Err(self.no_guarantee(algorithm, doubt, sure).into());
        }
        let threads = threads(self.job.search.threads);
        let patience =
            Patience { watch, deadline: self.job.search.time_limit().map(|limit| started + limit) };
        let problem = SearchProblem {
            lattice: self.lattice,
            order: self.order,
            case: checker.case(),
            case_is_assumed: criteria.assumes_more_than_is_proven(),
            checker: &checker,
            observer: &patience,
            threads,
        };
        let mut report =
            paravent_core::search::run(&problem, algorithm).map_err(|error| self.search_problem(error))?;
        report.optimal &= doubt.is_none();
        if watch.stop() {
            return Err(ScanError::Stopped.into());
        }
        let elapsed = started.elapsed();
        let stats = checker.stats();
        let solution = report.best.as_ref().map(|best| Solution::at(&checker, &best.node));
        Ok(Found {
            case: problem.case.number(),
            report,
            solution,
            algorithm,
            doubt,
            rollups: stats.rollups,
            peak_bytes: stats.peak_bytes,
            threads,
            elapsed,
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
                problem.advise(advice).into_error()
            }
            other => other.into(),
        }
    }
}

fn metric(name: job::Metric) -> Metric {
    match name {
        job::Metric::Height => Metric::Height,
        job::Metric::Precision => Metric::Precision,
        job::Metric::PrecisionM => Metric::MonotonePrecision,
        job::Metric::Loss => Metric::Loss,
        job::Metric::LossGeometric => Metric::GeometricLoss,
        job::Metric::Aecs => Metric::AverageClassSize,
        job::Metric::Discernibility => Metric::Discernibility,
        job::Metric::DiscernibilityM => Metric::MonotoneDiscernibility,
        job::Metric::Entropy => Metric::Entropy,
        job::Metric::Nuem => Metric::NonUniformEntropy,
        job::Metric::Nmnuem => Metric::NonMonotoneNonUniformEntropy,
    }
}

/// The algorithm a job asks for.
fn algorithm(name: job::Algorithm) -> Algorithm {
    match name {
        job::Algorithm::Auto | job::Algorithm::BestFirst => Algorithm::BestFirst,
        job::Algorithm::Flash => Algorithm::Flash,
        job::Algorithm::FlashParallel => Algorithm::FlashParallel,
        job::Algorithm::FlashDfs => Algorithm::FlashDfs,
        job::Algorithm::FlashTwoPhase => Algorithm::FlashTwoPhase,
        job::Algorithm::Ola => Algorithm::Ola,
        job::Algorithm::Incognito => Algorithm::Incognito,
        job::Algorithm::Samarati => Algorithm::Samarati,
        job::Algorithm::Bfs => Algorithm::Bfs,
        job::Algorithm::Dfs => Algorithm::Dfs,
        job::Algorithm::Exhaustive => Algorithm::Exhaustive,
    }
}

fn threads(asked: u32) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n as usize,
    }
}

/// By how much a loss can still be beaten, in percent of it.
pub(crate) fn gap(loss: Option<f64>, bound: Option<f64>) -> Option<f64> {
    let (loss, bound) = (loss?, bound?);
    (bound.is_finite() && loss > 0.0).then(|| (100.0 * (loss - bound) / loss).clamp(0.0, 100.0))
}

/// Stops a search when time is up or somebody asks to.
struct Patience<'a> {
    watch: &'a dyn Watch,
    deadline: Option<Instant>,
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
