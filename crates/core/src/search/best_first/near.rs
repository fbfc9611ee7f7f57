//! Best-first search on a board of all nodes.

use super::super::incumbent::Incumbent;
use super::super::{CheckError, Flow, NodeCounts, Problem, Progress, SearchError, SearchReport, Verdict};
use super::board::Board;
use super::surrogate::{Guesses, Surrogate};
use crate::lattice::Node;
use rayon::prelude::*;

/// Nodes looked at between two guesses: at once where there are threads for it. The number is the same for any number of
/// threads, and so is what is looked at.
const BATCH: usize = 4;
/// Boards from this size on are read by all threads.
const WORTH_SHARING: usize = 1 << 13;
/// Stretches of the board that send one candidate each into the choice of a batch.
const STRETCHES: usize = 64;
/// What an anonymous node is worth that would rule out as many open nodes as another refutes.
const WORTH_OF_RULING_OUT: f32 = 0.5;

pub(super) fn search(problem: &Problem<'_>, nodes: u64) -> Result<SearchReport, SearchError> {
    let board = Board::new(problem, nodes);
    let mut search = Search {
        problem,
        nodes,
        ranks: Ranks::of(&board),
        board,
        surrogate: Surrogate::new(problem.lattice, |column, level| problem.checker.detail(column, level)),
        incumbent: Incumbent::default(),
        guesses: Guesses::default(),
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
    ranks: Ranks,
    guesses: Guesses,
    checks: u64,
    stopped: bool,
}

struct Candidate {
    index: usize,
    node: Node,
    score: f32,
}

impl Search<'_> {
    fn rounds(&mut self) -> Result<(), SearchError> {
        while self.board.left() > 0 && !self.stopped {
            self.round()?;
        }
        Ok(())
    }

    /// Chooses a batch of nodes, looks at them, and draws the conclusions.
    fn round(&mut self) -> Result<(), SearchError> {
        self.board.count();
        self.surrogate.fit();
        self.guesses = self.surrogate.guess();
        let batch = self.choose();
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
            let progress = Progress {
                checks: self.checks,
                decided: self.nodes - self.board.left(),
                nodes: u128::from(self.nodes),
                best_loss: self.incumbent.loss(),
                bound,
            };
            if self.problem.observer.after_check(&progress) == Flow::Stop {
                self.stopped = true;
                break;
            }
        }
        if raised || self.incumbent.node() != best_before.as_ref() {
            self.board.rule_out(&self.incumbent, self.problem);
            self.ranks = Ranks::of(&self.board);
        }
        Ok(())
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
            Some(refuted) => self.board.refute(refuted),
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
    fn choose(&self) -> Vec<Candidate> {
        let mut candidates = self.candidates();
        let mut batch: Vec<Candidate> = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let best = (0..candidates.len())
                .max_by(|&a, &b| candidates[a].score.total_cmp(&candidates[b].score).then(b.cmp(&a)));
            let Some(best) = best.filter(|&best| candidates[best].score > 0.0) else { break };
            let chosen = candidates.swap_remove(best);
            for other in &mut candidates {
                let shared = self.board.below_both(&chosen.node, &other.node);
                let own = self.board.below(other.index).max(1);
                other.score *= 1.0 - shared as f32 / own as f32;
            }
            batch.push(chosen);
        }
        batch
    }

    /// The best node of every stretch of the board.
    fn candidates(&self) -> Vec<Candidate> {
        let nodes = self.nodes as usize;
        let stretch = nodes.div_ceil(STRETCHES);
        let best_of = |number: usize| {
            let stretch = number * stretch..((number + 1) * stretch).min(nodes);
            let mut best: Option<(f32, usize)> = None;
            for (index, guess) in stretch.clone().zip(self.guesses.starting_at(stretch.start)) {
                let below = self.board.below(index);
                if below == 0 || !self.board.is_worth_a_look(index) {
                    continue;
                }
                let open = self.board.is_open(index);
                // A look refutes at most what is below; most nodes need no guess to be out of the question.
                if !open && best.is_some_and(|(most, _)| below as f32 <= most) {
                    continue;
                }
                let score = self.score(index, below as f32, guess);
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, index));
                }
            }
            best
        };
        let found: Vec<Option<(f32, usize)>> = if self.problem.threads > 1 && nodes >= WORTH_SHARING {
            (0..STRETCHES).into_par_iter().map(best_of).collect()
        } else {
            (0..STRETCHES).map(best_of).collect()
        };
        let candidate =
            |(score, index)| Candidate { index, node: self.problem.lattice.node(index as u64), score };
        found.into_iter().flatten().map(candidate).collect()
    }

    /// How many open nodes a look at the node is expected to decide.
    fn score(&self, index: usize, below: f32, guess: f32) -> f32 {
        let refutes = chance(guess);
        let refuted = refutes * below;
        if !self.board.is_open(index) {
            return refuted;
        }
        let ruled_out = self.ranks.at_least(self.board.bounds()[index]);
        // A look at an open node always decides something.
        (refuted + (1.0 - refutes) * WORTH_OF_RULING_OUT * ruled_out).max(f32::MIN_POSITIVE)
    }
}

/// The chance that a value this many spreads above 0 is above 0: the logistic function, close to the normal distribution, with
/// `e^−x ≈ (1 − x/16)^16`.
fn chance(spreads: f32) -> f32 {
    let root = 1.0 - 1.7 * spreads.clamp(-4.0, 4.0) / 16.0;
    let second = root * root;
    let fourth = second * second;
    let eighth = fourth * fourth;
    1.0 / (1.0 + eighth * eighth)
}

/// How many open nodes have at least a bound? In steps between the least and the greatest bound.
struct Ranks {
    least: f64,
    step: f64,
    at_least: Vec<f32>,
}

const STEPS: usize = 64;

impl Ranks {
    fn of(board: &Board<'_>) -> Ranks {
        let open = || {
            board
                .bounds()
                .iter()
                .enumerate()
                .filter(|&(index, _)| board.is_open(index))
                .map(|(_, &bound)| bound)
        };
        let (least, most) =
            open().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), bound| (a.min(bound), b.max(bound)));
        let step = ((most - least) / STEPS as f64).max(f64::MIN_POSITIVE);
        let mut ranks = Ranks { least, step, at_least: vec![0.0; STEPS + 1] };
        if !step.is_finite() {
            return ranks;
        }
        for bound in open() {
            let place = ranks.place(bound);
            ranks.at_least[place] += 1.0;
        }
        for place in (0..STEPS).rev() {
            ranks.at_least[place] += ranks.at_least[place + 1];
        }
        ranks
    }

    fn place(&self, bound: f64) -> usize {
        (((bound - self.least) / self.step) as usize).min(STEPS)
    }

    fn at_least(&self, bound: f64) -> f32 {
        self.at_least[self.place(bound)]
    }
}
