//! From a [`Task`] to its [`Solution`]: the search for the best node, and the node applied.

use crate::grouping::{Class, GroupingStats};
use crate::lattice::Node;
use crate::release::{Figures, Solution};
use crate::search::{
    self, Algorithm, CheckError, Checker, Depth, LocalChecker, LossBy, NoGuarantee, Observer, PeopleChecker,
    Problem, SearchError, SearchInput, SearchReport, Unobserved, Verdict,
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

/// One thread, half a gigabyte of snapshots, no observer.
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
    checker: NodeChecker<'a>,
}

/// Looks at the nodes of a task: counts rows, or people where the task does.
#[derive(Debug)]
pub enum NodeChecker<'a> {
    /// Rows are counted.
    Rows(Box<LocalChecker<'a>>),
    /// So many people have one row each: counting rows counts people.
    OneRowEach(Box<LocalChecker<'a>>, u64),
    /// A person may have several rows.
    People(Box<PeopleChecker<'a>>),
}

impl NodeChecker<'_> {
    /// A node applied, anonymous or not.
    pub fn solution(&self, node: &Node) -> Result<Solution, CheckError> {
        match self {
            NodeChecker::Rows(checker) => Solution::at(checker, node),
            NodeChecker::OneRowEach(checker, people) => {
                Solution::at(checker, node).map(|solution| solution.of_one_row_each(*people))
            }
            NodeChecker::People(checker) => Ok(Solution::of_people(checker, node)),
        }
    }

    /// The figures of a node, anonymous or not: those of its solution, found quicker where many nodes are asked for.
    pub fn figures(&self, node: &Node) -> Result<Figures, CheckError> {
        match self {
            NodeChecker::Rows(checker) | NodeChecker::OneRowEach(checker, _) => Figures::at(checker, node),
            NodeChecker::People(checker) => {
                let metric = checker.rows().input().metric;
                Ok(Figures::of(&Solution::of_people(checker, node), metric))
            }
        }
    }

    /// Calls `visit` with every class under a node, whatever its fate; a class known only from the population has no rows.
    pub fn visit_classes(&self, node: &Node, visit: impl FnMut(&Class<'_>)) -> Result<(), CheckError> {
        match self {
            NodeChecker::Rows(checker) | NodeChecker::OneRowEach(checker, _) => {
                Solution::visit_classes(checker, node, visit)
            }
            NodeChecker::People(checker) => {
                checker.visit_classes(node, visit);
                Ok(())
            }
        }
    }

    /// Calls `visit` with every class that is released under a node.
    pub fn visit_released(&self, node: &Node, mut visit: impl FnMut(&Class<'_>)) -> Result<(), CheckError> {
        match self {
            NodeChecker::Rows(checker) | NodeChecker::OneRowEach(checker, _) => {
                let criteria = checker.input().criteria;
                Solution::visit_classes(checker, node, |class| {
                    if class.rows > 0 && criteria.hold(class) {
                        visit(class);
                    }
                })
            }
            NodeChecker::People(checker) => {
                checker.visit_released(node, visit);
                Ok(())
            }
        }
    }

    /// By tuple: how many people of the population are in its class under a node, where people are counted one by one and a population is known.
    pub fn population_of_tuples(&self, node: &Node) -> Option<Vec<u32>> {
        match self {
            NodeChecker::Rows(_) | NodeChecker::OneRowEach(..) => None,
            NodeChecker::People(checker) => checker.population_of_tuples(node),
        }
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        match self {
            NodeChecker::Rows(checker) | NodeChecker::OneRowEach(checker, _) => checker.stats(),
            NodeChecker::People(checker) => checker.stats(),
        }
    }

    /// The checker as a search sees it.
    pub fn as_checker(&self) -> &dyn Checker {
        match self {
            NodeChecker::Rows(checker) | NodeChecker::OneRowEach(checker, _) => &**checker,
            NodeChecker::People(checker) => &**checker,
        }
    }

    /// Tests the criteria on a node and computes its loss.
    pub fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
        self.as_checker().check(node, Depth::Full)
    }
}

impl Searched<'_> {
    /// The best node applied; `None` when none was found.
    pub fn solution(&self) -> Result<Option<Solution>, SearchError> {
        let best = self.report.best.as_ref();
        Ok(best.map(|best| self.checker.solution(&best.node)).transpose()?)
    }

    /// What grouping has cost.
    pub fn stats(&self) -> GroupingStats {
        self.checker.stats()
    }
}

/// What can be done with a task.
impl Task {
    /// A checker of single nodes, with so much memory for snapshots of classes.
    pub fn checker(&self, snapshot_bytes: usize) -> NodeChecker<'_> {
        let input = SearchInput {
            table: self.tuples(),
            ladders: self.ladders(),
            weights: self.columns().weights(),
            criteria: self.criteria(),
            metric: self.metric(),
            balance: self.balance(),
            suppression_limit: self.suppression_limit(),
            history_bytes: snapshot_bytes,
        };
        match (self.people(), self.relaxation(), self.tuples().held()) {
            (Some(people), Some(relaxation), Some(table)) => {
                NodeChecker::People(Box::new(PeopleChecker::new(input, table, people, relaxation)))
            }
            (Some(people), None, _) => {
                NodeChecker::OneRowEach(Box::new(LocalChecker::new(input)), people.len() as u64)
            }
            _ => NodeChecker::Rows(Box::new(LocalChecker::new(input))),
        }
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
            checker: checker.as_checker(),
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
