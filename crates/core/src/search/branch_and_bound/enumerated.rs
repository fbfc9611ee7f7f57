//! Branch and bound on an open set of all nodes.

use super::super::incumbent::Incumbent;
use super::super::{
    CheckError, Checker, Depth, Flow, NodeCounts, Problem, Progress, SearchError, SearchReport, Shortcuts,
    SizeCheck, Verdict,
};
use super::bound_model::BoundModel;
use super::candidates::Candidates;
use super::deferred::DeferredChecks;
use super::expected_gain::{ExpectedGain, gain_if_it_holds};
use super::open_set::OpenSet;
use super::surrogate::{Predictions, Surrogate};
use super::workers::Workers;
use crate::lattice::Node;

/// Nodes checked between two fits of the surrogate; several at once where there are threads. The same for any number of threads, and so
/// are the nodes. Measure a change with the tuning set of `docs/guide/bench.md`.
const BATCH: usize = 4;
/// The same for metrics of class sizes, which need more checks. From 5-anonymity at 5 % by `discernibility`, `discernibility-m` and `aecs` on
/// adult, fars and cup (`paravent bench DATA --metric discernibility --suppression 0.05`).
const BATCH_BY_CLASSES: usize = 8;
/// During the first checks predictions change so much that no candidates outlive a round. From the small
/// tables of the `baseline` workload with two threads.
const EARLY_CHECKS: u64 = 20;

pub(super) fn search(problem: &Problem<'_>, nodes: u64) -> Result<SearchReport, SearchError> {
    let open_set = OpenSet::new(problem, nodes);
    let mut search = Search {
        problem,
        nodes,
        gain_if_it_holds: gain_if_it_holds(&open_set),
        open_set,
        surrogate: Surrogate::new(problem.lattice, |column, level| {
            problem.checker.prior().information(column, level)
        }),
        incumbent: Incumbent::default(),
        predictions: Predictions::default(),
        candidates: Candidates::default(),
        deferred: DeferredChecks::default(),
        bound_model: BoundModel::new(problem),
        checks: 0,
        stopped: false,
    };
    let checker = problem.checker;
    let most = if checker.prior().verdicts_bound_above() { BATCH_BY_CLASSES } else { BATCH };
    let others = problem.threads.clamp(1, most) - 1;
    if let Some(shortcuts) = checker.shortcuts()
        && !shortcuts.likely_counterexamples(&problem.lattice.bottom()).is_empty()
    {
        search.refute_by_counterexamples(shortcuts, others)?;
    }
    if search.goes_on() {
        Workers::with(&|task| perform(checker, task), others, |workers| search.rounds(workers))?;
    }
    // Also where the search was stopped: the deferred node is probably better than the incumbent.
    search.check_best_deferred()?;
    let bound = search.bound();
    let complete = search.open_set.left() == 0;
    let states = search.open_set.states(complete);
    Ok(SearchReport {
        best: search.incumbent.into_best(),
        complete,
        optimal: complete && !problem.case_is_assumed,
        bound,
        checks: search.checks,
        subset_tests: 0,
        nodes: NodeCounts::of(&states),
        states,
    })
}

/// What a worker does with a node.
#[derive(Debug, Clone)]
enum Task {
    Check(Node),
    CheckSizes(Node),
}

fn perform(checker: &dyn Checker, task: &Task) -> Result<SizeCheck, CheckError> {
    match (task, checker.shortcuts()) {
        (Task::CheckSizes(node), Some(shortcuts)) => shortcuts.check_sizes(node),
        (Task::Check(node) | Task::CheckSizes(node), _) => {
            checker.check(node, Depth::UntilRefuted).map(SizeCheck::Decides)
        }
    }
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    nodes: u64,
    open_set: OpenSet<'a>,
    surrogate: Surrogate<'a>,
    incumbent: Incumbent,
    /// By open node: the gain of pruning all open nodes with at least its bound.
    gain_if_it_holds: Vec<f32>,
    predictions: Predictions,
    candidates: Candidates,
    deferred: DeferredChecks,
    bound_model: Option<BoundModel<'a>>,
    checks: u64,
    stopped: bool,
}

impl Search<'_> {
    fn goes_on(&self) -> bool {
        (self.open_set.left() > 0 || self.deferred.best().is_some()) && !self.stopped
    }

    /// Refutes by counterexamples as long as the open node with the least bound has one: its row refutes many other nodes, too.
    ///
    /// Likely counterexamples are tried first, until one does not refute: certain ones take longer to find. A node without a
    /// counterexample is checked and is nearly always the optimum. If not, another criterion than class size matters, and rounds go on.
    fn refute_by_counterexamples(
        &mut self,
        shortcuts: &dyn Shortcuts,
        others: usize,
    ) -> Result<(), SearchError> {
        let problem = self.problem;
        let refuted_by = |&row: &usize| Ok(shortcuts.refuted_by(row, problem.lattice));
        // Never more than two rows at once.
        Workers::with(&refuted_by, others.min(1), |workers| {
            let mut likely = true;
            while let Some(index) = self.open_set.least()
                && !self.stopped
            {
                let node = problem.lattice.node(index as u64);
                likely = likely
                    && self.refute_by_rows(workers, &shortcuts.likely_counterexamples(&node), index)?;
                if !likely && !self.refute_by_rows(workers, &shortcuts.counterexamples(&node), index)? {
                    // Without any counterexample so far there is no reason to check this node rather than another.
                    if self.checks > 0 {
                        let verdict = problem.checker.check(&node, Depth::UntilRefuted)?;
                        self.learn(vec![(node, SizeCheck::Decides(verdict))]);
                    }
                    break;
                }
                self.checks += 1;
                let bound = self.bound();
                self.report_progress(bound);
            }
            Ok(())
        })
    }

    /// Refutes all nodes under which one of these rows is in too small a class; says whether this node is among them.
    fn refute_by_rows(
        &mut self,
        workers: &Workers<'_, usize, Vec<bool>>,
        rows: &[usize],
        index: usize,
    ) -> Result<bool, SearchError> {
        let fails = workers.run(rows, || {})?;
        fails.iter().for_each(|fails| self.open_set.refute_all(fails));
        Ok(!self.open_set.is_open(index))
    }

    /// Chooses nodes, checks them and draws the conclusions. Stale candidates are replaced while the workers check.
    fn rounds(&mut self, workers: &Workers<'_, Task, SizeCheck>) -> Result<(), SearchError> {
        while self.goes_on() {
            if self.open_set.left() == 0 {
                self.check_best_deferred()?;
                continue;
            }
            self.surrogate.fit();
            let enough = self
                .incumbent
                .loss()
                .map_or(1.0, |loss| self.problem.checker.prior().suppression_ratio_at(loss));
            self.predictions = self.surrogate.predict(enough);
            if let Some(bound_model) = &mut self.bound_model {
                bound_model.predict(self.incumbent.loss());
            }
            if self.checks < EARLY_CHECKS {
                self.candidates.clear();
            }
            let mut chosen = self.choose();
            if chosen.is_empty() {
                self.scan();
                chosen = self.choose();
            }
            let nodes: Vec<Node> =
                chosen.iter().map(|&index| self.problem.lattice.node(index as u64)).collect();
            let defers = self.problem.case.monotone_metric && self.deferred.pays_off();
            let task = |node: &Node| {
                if defers { Task::CheckSizes(node.clone()) } else { Task::Check(node.clone()) }
            };
            let tasks: Vec<Task> = nodes.iter().map(task).collect();
            let found = workers.run(&tasks, || {
                if self.candidates.is_stale() {
                    self.scan();
                }
            });
            self.learn(nodes.into_iter().zip(found?).collect());
        }
        Ok(())
    }

    /// Checks the deferred node with the least bound. Where nothing else is open and it holds, the search is over.
    fn check_best_deferred(&mut self) -> Result<(), SearchError> {
        let Some(node) = self.deferred.best().cloned() else { return Ok(()) };
        let verdict = self.problem.checker.check(&node, Depth::UntilRefuted)?;
        self.deferred.end(&mut self.open_set, &verdict);
        self.candidates.clear();
        self.learn(vec![(node, SizeCheck::Decides(verdict))]);
        self.gain_if_it_holds = gain_if_it_holds(&self.open_set);
        Ok(())
    }

    fn choose(&mut self) -> Vec<usize> {
        let bound_model = self.bound_model.as_ref().and_then(BoundModel::predictions);
        let gain =
            ExpectedGain { predictions: &self.predictions, bound_model, if_it_holds: &self.gain_if_it_holds };
        let most = if bound_model.is_some() { BATCH_BY_CLASSES } else { BATCH };
        self.candidates.choose(most, &self.open_set, &gain)
    }

    /// Finds new candidates.
    fn scan(&mut self) {
        self.open_set.count();
        if self.bound_model.is_some() {
            // Bounds have risen since.
            self.gain_if_it_holds = gain_if_it_holds(&self.open_set);
        }
        let bound_model = self.bound_model.as_ref().and_then(BoundModel::predictions);
        let gain =
            ExpectedGain { predictions: &self.predictions, bound_model, if_it_holds: &self.gain_if_it_holds };
        self.candidates = Candidates::of(&self.open_set, &gain);
    }

    /// Draws the conclusions from checks.
    fn learn(&mut self, found: Vec<(Node, SizeCheck)>) {
        let best_before = self.incumbent.node().cloned();
        let deferred_before = self.deferred.best().cloned();
        let bound = self.bound();
        let mut raised = false;
        for (node, check) in found {
            match check {
                SizeCheck::Decides(verdict) => {
                    self.conclude(&node, &verdict);
                    if verdict.lower_bound_above > f64::NEG_INFINITY {
                        self.open_set.raise(&node, verdict.lower_bound_above);
                        if let Some(bound_model) = &mut self.bound_model {
                            bound_model.learn(&node, verdict.lower_bound_above);
                        }
                        raised = true;
                    }
                    if verdict.lower_bound_below > f64::NEG_INFINITY && verdict.refuted.is_none() {
                        self.open_set.raise_below(&node, verdict.lower_bound_below);
                        raised = true;
                    }
                }
                SizeCheck::Passes { suppression_ratio } => self.defer(&node, suppression_ratio),
            }
            self.report_progress(bound);
            if self.stopped {
                break;
            }
        }
        let is_better = self.incumbent.node() != best_before.as_ref();
        if raised || is_better {
            self.open_set.prune(&self.incumbent, self.problem);
        }
        if is_better || self.deferred.best() != deferred_before.as_ref() {
            self.gain_if_it_holds = gain_if_it_holds(&self.open_set);
            self.candidates.clear();
        }
    }

    /// Reports how far the search has come. The observer may stop it.
    fn report_progress(&mut self, bound: Option<f64>) {
        let progress = Progress {
            checks: self.checks,
            decided: self.nodes - self.open_set.left() - self.deferred.set_aside(),
            nodes: u128::from(self.nodes),
            best_loss: self.incumbent.loss(),
            bound,
        };
        self.stopped |= self.problem.observer.after_check(&progress) == Flow::Stop;
    }

    /// Lower bound of the loss of every node.
    fn bound(&mut self) -> Option<f64> {
        let bounds = [self.open_set.least_bound(), self.deferred.bound(), self.incumbent.loss()];
        bounds.into_iter().flatten().reduce(f64::min)
    }

    /// Sizes do not fail the node, hence none above it. The rest of its check is deferred.
    fn defer(&mut self, node: &Node, suppression_ratio: f64) {
        let index = self.open_set.index(node);
        if self.open_set.passed(index) {
            self.checks += 1;
            self.surrogate.learn(node, suppression_ratio);
            self.open_set.refutes_nothing(node);
        }
        if self.open_set.is_open(index) {
            let bound = self.open_set.bounds()[index];
            self.deferred.add(&mut self.open_set, self.problem.order, node, bound);
        }
    }

    fn conclude(&mut self, node: &Node, verdict: &Verdict) {
        let lattice = self.problem.lattice;
        let index = self.open_set.index(node);
        // A check of the sizes and the rest of it count once.
        self.checks += u64::from(!self.open_set.has_passed(index));
        self.deferred.learn(verdict);
        self.open_set.checked(index, verdict.holds);
        let refuted = verdict.refuted.as_ref().map(|refuted| lattice.capped(refuted));
        // The suppression ratio is that of the refuted node.
        self.surrogate.learn(refuted.as_ref().unwrap_or(node), verdict.suppression_ratio);
        match refuted {
            Some(refuted) => {
                self.candidates.refuted(&self.open_set, &refuted);
                self.open_set.refute(&refuted);
            }
            None if verdict.lower_bound_below < self.incumbent.loss().unwrap_or(f64::INFINITY) => {
                self.open_set.refutes_nothing(node);
            }
            None => {}
        }
        if let Some((unrefuted_above, suppression_ratio)) = &verdict.unrefuted_above
            && lattice.contains(unrefuted_above)
        {
            self.surrogate.learn(unrefuted_above, *suppression_ratio);
            self.open_set.refutes_nothing(unrefuted_above);
        }
        if verdict.holds {
            self.incumbent.offer(self.problem.order, node, verdict.loss, verdict.suppressed_rows);
            if self.problem.case.monotone_metric {
                self.open_set.dominate(node);
            }
        }
    }
}
