//! From a [`Task`] to its [`Solution`]: the search for the best node, and the node applied.

use crate::grouping::GroupingStats;
use crate::release::Solution;
use crate::search::{
    self, Algorithm, LocalChecker, LossBy, NoGuarantee, Observer, Problem, SearchError, SearchInput,
    SearchReport, Unobserved,
};
use crate::task::Task;

/// What a search may use. None of it changes a result, unless the observer stops the search.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Threads that may look at nodes at the same time.
    pub threads: usize,
    /// Memory for snapshots of classes, in bytes.
    pub snapshot_bytes: usize,
    /// Is told about progress, and may stop the search.
    pub observer: &'a dyn Observer,
}

/// One thread, half a gigabyte of snapshots, nobody who listens.
impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { threads: 1, snapshot_bytes: 1 << 29, observer: &Unobserved }
    }
}

/// A task that was searched.
#[derive(Debug)]
pub struct Searched<'a> {
    /// What was found, and how.
    pub report: SearchReport,
    checker: LocalChecker<'a>,
}

impl Searched<'_> {
    /// The best node applied; `None` when none was found.
    pub fn solution(&self) -> Result<Option<Solution>, SearchError> {
        let best = self.report.best.as_ref();
        Ok(best.map(|best| Solution::at(&self.checker, &best.node)).transpose()?)
    }

    /// What grouping has cost.
    pub fn stats(&self) -> GroupingStats {
        self.checker.stats()
    }
}

/// What can be done with a task.
impl Task {
    /// A checker of single nodes, with so much memory for snapshots of classes.
    pub fn checker(&self, snapshot_bytes: usize) -> LocalChecker<'_> {
        LocalChecker::new(SearchInput {
            table: self.tuples(),
            ladders: self.ladders(),
            weights: self.columns().weights(),
            criteria: self.criteria(),
            metric: self.metric(),
            suppression_limit: self.suppression_limit(),
            history_bytes: snapshot_bytes,
        })
    }

    /// Whether an algorithm finds the best node of this task for certain, or why not.
    pub fn guarantee(&self, algorithm: Algorithm) -> Result<(), NoGuarantee> {
        algorithm.guarantees(self.case(), LossBy::of(self.metric(), self.columns().weights()))
    }

    /// Looks for the best node.
    pub fn search(&self, algorithm: Algorithm, effort: &Effort<'_>) -> Result<Searched<'_>, SearchError> {
        let checker = self.checker(effort.snapshot_bytes);
        let problem = Problem {
            lattice: self.lattice(),
            order: self.columns().order(),
            case: self.case(),
            case_is_assumed: self.criteria().assumes_more_than_is_proven(),
            checker: &checker,
            observer: effort.observer,
            threads: effort.threads,
        };
        let report = search::run(&problem, algorithm)?;
        Ok(Searched { report, checker })
    }

    /// The best node applied, or the best one that was found before the observer stopped the search. `None` when there is none: an
    /// algorithm or an assumption that could have missed it is followed by a search that cannot.
    pub fn solve(&self, algorithm: Algorithm, effort: &Effort<'_>) -> Result<Option<Solution>, SearchError> {
        let searched = self.search(algorithm, effort)?;
        if searched.report.best.is_some() || searched.report.optimal || !searched.report.complete {
            return searched.solution();
        }
        self.without_assumptions().search(Algorithm::BestFirst, effort)?.solution()
    }
}
