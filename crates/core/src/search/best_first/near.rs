//! Best-first search on a board of all nodes.

use super::super::incumbent::Incumbent;
use super::super::{
    CheckError, Checker, Flow, Glance, NodeCounts, Problem, Progress, SearchError, SearchReport, Verdict,
};
use super::board::Board;
use super::floors::Floors;
use super::helpers::Helpers;
use super::hopes::Hopes;
use super::shortlist::Shortlist;
use super::surrogate::{Guesses, Surrogate};
use super::worth::{Worth, worth_if_it_holds};
use crate::lattice::Node;

/// Nodes looked at between two guesses: at once where there are threads for it. The number is the same for any number of
/// threads, and so is what is looked at.
const BATCH: usize = 4;
/// The same where losses are known by looks only, so that more have to be made.
const BATCH_BY_CLASSES: usize = 8;

/// So many looks change the guesses so much that no shortlist outlives a round.
const SOON: u64 = 20;

pub(super) fn search(problem: &Problem<'_>, nodes: u64) -> Result<SearchReport, SearchError> {
    let board = Board::new(problem, nodes);
    let mut search = Search {
        problem,
        nodes,
        worth_if_it_holds: worth_if_it_holds(&board),
        board,
        surrogate: Surrogate::new(problem.lattice, |column, level| problem.checker.detail(column, level)),
        incumbent: Incumbent::default(),
        guesses: Guesses::default(),
        shortlist: Shortlist::default(),
        hopes: Hopes::default(),
        floors: Floors::new(problem),
        checks: 0,
        stopped: false,
    };
    let checker = problem.checker;
    let most = if checker.bounds_above() { BATCH_BY_CLASSES } else { BATCH };
    let others = problem.threads.clamp(1, most) - 1;
    if !checker.suspects(&problem.lattice.bottom()).is_empty() {
        let exposing = |&row: &usize| Ok(checker.exposing(row, problem.lattice));
        // Never more than two rows at once.
        Helpers::with(&exposing, others.min(1), |helpers| search.refute_by_example(helpers))?;
    }
    if search.goes_on() {
        Helpers::with(&|task| attend(checker, task), others, |helpers| search.rounds(helpers))?;
    }
    // A search that is stopped has time for the node that is probably the best so far.
    search.look_at_the_best_hope()?;
    let bound = search.bound();
    let complete = search.board.left() == 0;
    let states = search.board.states(complete);
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

/// How closely a node is to be looked at.
#[derive(Debug, Clone)]
enum Task {
    Look(Node),
    Glance(Node),
}

fn attend(checker: &dyn Checker, task: &Task) -> Result<Glance, CheckError> {
    match task {
        Task::Look(node) => checker.look(node).map(Glance::Decides),
        Task::Glance(node) => checker.glance(node),
    }
}

struct Search<'a> {
    problem: &'a Problem<'a>,
    nodes: u64,
    board: Board<'a>,
    surrogate: Surrogate<'a>,
    incumbent: Incumbent,
    /// By node, as far as it is open: what ruling out all open nodes with at least its bound is worth.
    worth_if_it_holds: Vec<f32>,
    guesses: Guesses,
    shortlist: Shortlist,
    hopes: Hopes,
    floors: Option<Floors<'a>>,
    checks: u64,
    stopped: bool,
}

impl Search<'_> {
    fn goes_on(&self) -> bool {
        (self.board.left() > 0 || self.hopes.best().is_some()) && !self.stopped
    }

    /// Takes the open node with the least bound, as long as a row shows why it fails: the row shows the same of many others. Rare rows are tried first, until
    /// one is well hidden: to know such a row for certain takes longer. A node without such a row is looked at, and is nearly always the best one; if not, something else than small
    /// classes matters, and rounds go on.
    fn refute_by_example(&mut self, helpers: &Helpers<'_, usize, Vec<bool>>) -> Result<(), SearchError> {
        let checker = self.problem.checker;
        let mut suspecting = true;
        while let Some(index) = self.board.least()
            && !self.stopped
        {
            let node = self.problem.lattice.node(index as u64);
            suspecting = suspecting && self.refute_by_rows(helpers, &checker.suspects(&node), index)?;
            if !suspecting && !self.refute_by_rows(helpers, &checker.exposed(&node), index)? {
                // Without any example there is no reason to look at this node rather than at another.
                if self.checks > 0 {
                    let verdict = checker.look(&node)?;
                    self.learn(vec![(node, Glance::Decides(verdict))]);
                }
                break;
            }
            self.checks += 1;
            let bound = self.bound();
            self.tell(bound);
        }
        Ok(())
    }

    /// Refutes all nodes under which one of these rows is in too small a class; says whether this node is among them.
    fn refute_by_rows(
        &mut self,
        helpers: &Helpers<'_, usize, Vec<bool>>,
        rows: &[usize],
        index: usize,
    ) -> Result<bool, SearchError> {
        let fails = helpers.look(rows, || {})?;
        fails.iter().for_each(|fails| self.board.refute_all(fails));
        Ok(!self.board.is_open(index))
    }

    /// Chooses nodes, looks at them and draws the conclusions. Where the shortlist is worn out, the board is read again while others look.
    fn rounds(&mut self, helpers: &Helpers<'_, Task, Glance>) -> Result<(), SearchError> {
        while self.goes_on() {
            if self.board.left() == 0 {
                self.look_at_the_best_hope()?;
                continue;
            }
            self.surrogate.fit();
            let enough = self.incumbent.loss().map_or(1.0, |loss| self.problem.checker.pressure_of(loss));
            self.guesses = self.surrogate.guess(enough);
            if let Some(floors) = &mut self.floors {
                floors.guess(self.incumbent.loss());
            }
            if self.checks < SOON {
                self.shortlist.clear();
            }
            let mut chosen = self.choose();
            if chosen.is_empty() {
                self.read_board();
                chosen = self.choose();
            }
            let nodes: Vec<Node> =
                chosen.iter().map(|&index| self.problem.lattice.node(index as u64)).collect();
            let is_hopeful = self.problem.case.monotone_metric && self.hopes.are_founded();
            let task = |node: &Node| {
                if is_hopeful { Task::Glance(node.clone()) } else { Task::Look(node.clone()) }
            };
            let tasks: Vec<Task> = nodes.iter().map(task).collect();
            let found = helpers.look(&tasks, || {
                if self.shortlist.is_worn_out() {
                    self.read_board();
                }
            });
            self.learn(nodes.into_iter().zip(found?).collect());
        }
        Ok(())
    }

    /// Looks at the node that is hoped to be the best. Where nothing else is open and it holds, the search is over.
    fn look_at_the_best_hope(&mut self) -> Result<(), SearchError> {
        let Some(node) = self.hopes.best().cloned() else { return Ok(()) };
        let verdict = self.problem.checker.look(&node)?;
        self.hopes.end(&mut self.board, &verdict);
        self.shortlist.clear();
        self.learn(vec![(node, Glance::Decides(verdict))]);
        self.worth_if_it_holds = worth_if_it_holds(&self.board);
        Ok(())
    }

    fn choose(&mut self) -> Vec<usize> {
        let floors = self.floors.as_ref().and_then(Floors::guesses);
        let worth = Worth { guesses: &self.guesses, floors, if_it_holds: &self.worth_if_it_holds };
        let most = if floors.is_some() { BATCH_BY_CLASSES } else { BATCH };
        self.shortlist.choose(most, &self.board, &worth)
    }

    fn read_board(&mut self) {
        self.board.count();
        if self.floors.is_some() {
            // Bounds have risen since.
            self.worth_if_it_holds = worth_if_it_holds(&self.board);
        }
        let floors = self.floors.as_ref().and_then(Floors::guesses);
        let worth = Worth { guesses: &self.guesses, floors, if_it_holds: &self.worth_if_it_holds };
        self.shortlist = Shortlist::of(&self.board, &worth);
    }

    /// Draws the conclusions from looks.
    fn learn(&mut self, found: Vec<(Node, Glance)>) {
        let best_before = self.incumbent.node().cloned();
        let hope_before = self.hopes.best().cloned();
        let bound = self.bound();
        let mut raised = false;
        for (node, glance) in found {
            match glance {
                Glance::Decides(verdict) => {
                    self.conclude(&node, &verdict);
                    if verdict.bound_above > f64::NEG_INFINITY {
                        self.board.raise(&node, verdict.bound_above);
                        if let Some(floors) = &mut self.floors {
                            floors.learn(&node, verdict.bound_above);
                        }
                        raised = true;
                    }
                    if verdict.bound_below > f64::NEG_INFINITY && verdict.refuted.is_none() {
                        self.board.raise_below(&node, verdict.bound_below);
                        raised = true;
                    }
                }
                Glance::Passes { pressure } => self.hope(&node, pressure),
            }
            self.tell(bound);
            if self.stopped {
                break;
            }
        }
        let is_better = self.incumbent.node() != best_before.as_ref();
        if raised || is_better {
            self.board.rule_out(&self.incumbent, self.problem);
        }
        if is_better || self.hopes.best() != hope_before.as_ref() {
            self.worth_if_it_holds = worth_if_it_holds(&self.board);
            self.shortlist.clear();
        }
    }

    /// Tells how far the search has come, and hears whether to go on.
    fn tell(&mut self, bound: Option<f64>) {
        let progress = Progress {
            checks: self.checks,
            decided: self.nodes - self.board.left() - self.hopes.set_aside(),
            nodes: u128::from(self.nodes),
            best_loss: self.incumbent.loss(),
            bound,
        };
        self.stopped |= self.problem.observer.after_check(&progress) == Flow::Stop;
    }

    /// No node has a lower loss than this.
    fn bound(&mut self) -> Option<f64> {
        let bounds = [self.board.least_bound(), self.hopes.bound(), self.incumbent.loss()];
        bounds.into_iter().flatten().reduce(f64::min)
    }

    /// Sizes do not fail the node, nor those above it: it is hoped to hold.
    fn hope(&mut self, node: &Node, pressure: f64) {
        let index = self.board.index(node);
        if self.board.passed(index) {
            self.checks += 1;
            self.surrogate.learn(node, pressure);
            self.board.refutes_nothing(node);
        }
        if self.board.is_open(index) {
            let bound = self.board.bounds()[index];
            self.hopes.add(&mut self.board, self.problem.order, node, bound);
        }
    }

    fn conclude(&mut self, node: &Node, verdict: &Verdict) {
        let lattice = self.problem.lattice;
        let index = self.board.index(node);
        // A glance and a look at the same node are one check.
        self.checks += u64::from(!self.board.has_passed(index));
        self.hopes.learn(verdict);
        self.board.looked_at(index, verdict.holds);
        let refuted = verdict.refuted.as_ref().map(|refuted| lattice.capped(refuted));
        // The pressure is that of the node that said enough.
        self.surrogate.learn(refuted.as_ref().unwrap_or(node), verdict.pressure);
        match refuted {
            Some(refuted) => {
                self.shortlist.refuted(&self.board, &refuted);
                self.board.refute(&refuted);
            }
            None if verdict.bound_below < self.incumbent.loss().unwrap_or(f64::INFINITY) => {
                self.board.refutes_nothing(node);
            }
            None => {}
        }
        if let Some((spared, pressure)) = &verdict.spared
            && lattice.contains(spared)
        {
            self.surrogate.learn(spared, *pressure);
            self.board.refutes_nothing(spared);
        }
        if verdict.holds {
            self.incumbent.offer(self.problem.order, node, verdict.loss, verdict.suppressed_rows);
            if self.problem.case.monotone_metric {
                self.board.dominate(node);
            }
        }
    }
}
