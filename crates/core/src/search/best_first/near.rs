//! Best-first search on a board of all nodes.

use super::super::incumbent::Incumbent;
use super::super::{CheckError, Flow, NodeCounts, Problem, Progress, SearchError, SearchReport, Verdict};
use super::board::Board;
use super::surrogate::{Guesses, Surrogate};
use super::worth::{chance, worth_if_it_holds};
use crate::lattice::Node;
use rayon::prelude::*;

/// Nodes looked at between two guesses: at once where there are threads for it. The number is the same for any number of
/// threads, and so is what is looked at.
const BATCH: usize = 4;
/// Rounds that a shortlist is good for, and how many times worse than at first its best candidate may be.
const ROUNDS: usize = 3;
const WORN_OUT: f32 = 1.5;
/// So many nodes that are worth a look are read by all threads.
const WORTH_SHARING: usize = 1 << 13;
/// Stretches of these nodes that send one candidate each into the choice of a batch.
const STRETCHES: usize = 64;

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
        checks: 0,
        stopped: false,
    };
    if problem.threads > 1 {
        // From inside the pool, so that a round need not wake it up.
        rayon::scope(|_| search.rounds())?;
    } else {
        search.rounds()?;
    }
    let complete = search.board.left() == 0;
    let states = search.board.states(complete);
    let bound = search.bound();
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
    checks: u64,
    stopped: bool,
}

/// Nodes that are worth a look most. To find them takes reading the whole board, so they are good for some rounds.
#[derive(Default)]
struct Shortlist {
    candidates: Vec<Candidate>,
    /// Score of the best when they were found.
    best: f32,
    rounds: usize,
}

struct Candidate {
    index: usize,
    node: Node,
    /// Open nodes below, about.
    below: f32,
    score: f32,
}

impl Search<'_> {
    fn rounds(&mut self) -> Result<(), SearchError> {
        self.refute_by_example()?;
        while self.board.left() > 0 && !self.stopped {
            self.round()?;
        }
        Ok(())
    }

    /// Takes the open node with the least bound, as long as a row shows why it fails: the row shows the same of many others. A node
    /// without such a row is looked at, and is nearly always the best one; if not, something else than small classes matters, and rounds go on.
    fn refute_by_example(&mut self) -> Result<(), SearchError> {
        let (lattice, checker) = (self.problem.lattice, self.problem.checker);
        while let Some(index) = self.board.least()
            && !self.stopped
        {
            let node = lattice.node(index as u64);
            let rows = checker.exposed(&node);
            if !rows.is_empty() {
                let exposing = |&row: &usize| checker.exposing(row, lattice);
                let fails: Vec<Vec<bool>> = if self.problem.threads > 1 {
                    rows.par_iter().map(exposing).collect()
                } else {
                    rows.iter().map(exposing).collect()
                };
                self.checks += 1;
                self.board.looked_at(index, false);
                fails.iter().for_each(|fails| self.board.refute_all(fails));
                let bound = self.bound();
                self.tell(bound);
            } else {
                // Without any example there is no reason to look at this node rather than at another.
                if self.checks > 0 {
                    self.look_at(&[Candidate { index, node, below: 0.0, score: 0.0 }])?;
                }
                break;
            }
        }
        Ok(())
    }

    /// Chooses a batch of nodes, and looks at them.
    fn round(&mut self) -> Result<(), SearchError> {
        self.surrogate.fit();
        self.guesses = self.surrogate.guess();
        let batch = self.choose();
        self.look_at(&batch)
    }

    /// Looks at nodes, and draws the conclusions.
    fn look_at(&mut self, batch: &[Candidate]) -> Result<(), SearchError> {
        let checker = self.problem.checker;
        let verdicts: Result<Vec<Verdict>, CheckError> = if self.problem.threads > 1 && batch.len() > 1 {
            batch.par_iter().map(|candidate| checker.look(&candidate.node)).collect()
        } else {
            batch.iter().map(|candidate| checker.look(&candidate.node)).collect()
        };
        let best_before = self.incumbent.node().cloned();
        let bound = self.bound();
        let mut raised = false;
        for (candidate, verdict) in batch.iter().zip(verdicts?) {
            self.conclude(candidate, &verdict);
            if verdict.bound_above > f64::NEG_INFINITY {
                self.board.raise(&candidate.node, verdict.bound_above);
                raised = true;
            }
            self.tell(bound);
            if self.stopped {
                break;
            }
        }
        if raised || self.incumbent.node() != best_before.as_ref() {
            self.board.rule_out(&self.incumbent, self.problem);
            self.worth_if_it_holds = worth_if_it_holds(&self.board);
            self.shortlist.candidates.clear();
        }
        Ok(())
    }

    /// Tells how far the search has come, and hears whether to go on.
    fn tell(&mut self, bound: Option<f64>) {
        let progress = Progress {
            checks: self.checks,
            decided: self.nodes - self.board.left(),
            nodes: u128::from(self.nodes),
            best_loss: self.incumbent.loss(),
            bound,
        };
        self.stopped |= self.problem.observer.after_check(&progress) == Flow::Stop;
    }

    /// No node has a lower loss than this.
    fn bound(&mut self) -> Option<f64> {
        match (self.board.least_bound(), self.incumbent.loss()) {
            (Some(open), Some(best)) => Some(open.min(best)),
            (open, best) => open.or(best),
        }
    }

    fn conclude(&mut self, candidate: &Candidate, verdict: &Verdict) {
        let node = &candidate.node;
        self.checks += 1;
        self.board.looked_at(candidate.index, verdict.holds);
        self.surrogate.learn(node, verdict.pressure);
        match &verdict.refuted {
            Some(refuted) => {
                let refuted = self.problem.lattice.capped(refuted);
                for other in &mut self.shortlist.candidates {
                    other.below *= 1.0 - share_below(&self.board, &refuted, other);
                }
                self.board.refute(&refuted);
            }
            None => self.board.refutes_nothing(node),
        }
        if verdict.holds {
            self.incumbent.offer(self.problem.order, node, verdict);
            if self.problem.case.monotone_metric {
                self.board.dominate(node);
            }
        }
    }

    /// The nodes whose looks are expected to decide most, each discounted by what those before it would have decided.
    fn choose(&mut self) -> Vec<Candidate> {
        self.update_shortlist();
        let candidates = &mut self.shortlist.candidates;
        let mut batch: Vec<Candidate> = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let best = (0..candidates.len())
                .max_by(|&a, &b| candidates[a].score.total_cmp(&candidates[b].score).then(b.cmp(&a)));
            let Some(best) = best.filter(|&best| candidates[best].score > 0.0) else { break };
            let chosen = candidates.swap_remove(best);
            for other in &mut *candidates {
                other.score *= 1.0 - share_below(&self.board, &chosen.node, other);
            }
            batch.push(chosen);
        }
        batch
    }

    /// Looks through the shortlist again, or through the whole board where it is not good enough any more.
    fn update_shortlist(&mut self) {
        let mut shortlist = std::mem::take(&mut self.shortlist);
        shortlist.candidates.retain_mut(|candidate| {
            candidate.score = self.score(candidate.index, candidate.below);
            self.board.is_worth_a_look(candidate.index)
        });
        let best = |shortlist: &Shortlist| {
            shortlist.candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max)
        };
        shortlist.rounds += 1;
        let worn_out = shortlist.rounds > ROUNDS || best(&shortlist) * WORN_OUT < shortlist.best;
        if worn_out || shortlist.candidates.is_empty() {
            self.board.count();
            shortlist = Shortlist { candidates: self.candidates(), best: 0.0, rounds: 1 };
            shortlist.best = best(&shortlist);
        }
        self.shortlist = shortlist;
    }

    /// How many open nodes a look at the node is expected to decide, if so many are below it.
    fn score(&self, index: usize, below: f32) -> f32 {
        let refutes = chance(self.guesses.of(index));
        if !self.board.is_open(index) {
            return refutes * below;
        }
        // A look at an open node always decides something.
        (refutes * below + (1.0 - refutes) * self.worth_if_it_holds[index]).max(f32::MIN_POSITIVE)
    }

    /// The best node of every stretch of those that are worth a look.
    fn candidates(&self) -> Vec<Candidate> {
        let worth_a_look = self.board.worth_a_look();
        let best_of = |stretch: &[u32]| {
            let mut best: Option<(f32, usize)> = None;
            for index in stretch.iter().map(|&index| index as usize) {
                let below = self.board.below(index) as f32;
                let most_worth =
                    if self.board.is_open(index) { below.max(self.worth_if_it_holds[index]) } else { below };
                // Most nodes need no guess to be out of the question.
                if best.is_some_and(|(most, _)| most_worth <= most) {
                    continue;
                }
                let score = self.score(index, below);
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, index));
                }
            }
            best
        };
        let stretch = worth_a_look.len().div_ceil(STRETCHES).max(1);
        let found: Vec<Option<(f32, usize)>> =
            if self.problem.threads > 1 && worth_a_look.len() >= WORTH_SHARING {
                worth_a_look.par_chunks(stretch).map(best_of).collect()
            } else {
                worth_a_look.chunks(stretch).map(best_of).collect()
            };
        let candidate = |(score, index)| Candidate {
            index,
            node: self.problem.lattice.node(index as u64),
            below: self.board.below(index) as f32,
            score,
        };
        found.into_iter().flatten().map(candidate).collect()
    }
}

/// How much of what is below a candidate is below a node, too.
fn share_below(board: &Board<'_>, node: &Node, candidate: &Candidate) -> f32 {
    board.below_both(node, &candidate.node) as f32 / board.below(candidate.index).max(1) as f32
}
