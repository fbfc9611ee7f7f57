//! The nodes that are worth a look most.

use super::board::Board;
use super::worth::Worth;
use crate::lattice::Node;

/// To find these nodes takes reading the whole board, so they are good for some rounds.
#[derive(Default)]
pub(super) struct Shortlist {
    candidates: Vec<Candidate>,
    /// Score of the best when they were found, and in the last choice.
    best_at_first: f32,
    best: f32,
    rounds: usize,
}

struct Candidate {
    index: usize,
    /// What each column adds to the index.
    places: Vec<u32>,
    /// Open nodes below, about.
    below: f32,
    score: f32,
}

/// Stretches of the board that send one candidate each.
const STRETCHES: usize = 128;
/// Rounds that a shortlist is good for, and how many times worse than at first its best candidate may be.
const ROUNDS: usize = 20;
const WORN_OUT: f32 = 2.0;

impl Shortlist {
    /// The best node of every stretch of those that are worth a look, by the last count of the board.
    pub(super) fn of(board: &Board<'_>, worth: &Worth<'_>) -> Shortlist {
        let nodes = board.worth_a_look();
        let stretches = nodes.chunks(nodes.len().div_ceil(STRETCHES).max(1));
        let candidate = |(score, index)| Candidate {
            index,
            places: board.places(&board.node(index)),
            below: board.below(index) as f32,
            score,
        };
        let candidates: Vec<Candidate> =
            stretches.filter_map(|stretch| worth.best_of(board, stretch)).map(candidate).collect();
        let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max);
        Shortlist { candidates, best_at_first: best, best, rounds: 0 }
    }

    /// Takes out the nodes whose looks are expected to decide most, each discounted by what those before it would have decided.
    pub(super) fn choose(&mut self, most: usize, board: &Board<'_>, worth: &Worth<'_>) -> Vec<usize> {
        self.rounds += 1;
        self.best = 0.0;
        self.candidates.retain_mut(|candidate| {
            candidate.score = worth.score(board, candidate.index, candidate.below);
            board.is_worth_a_look(candidate.index)
        });
        let mut chosen = Vec::with_capacity(most);
        while chosen.len() < most {
            let score = |position: usize| self.candidates[position].score;
            let best = (0..self.candidates.len())
                .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
                .filter(|&best| score(best) > 0.0);
            let Some(best) = best else { break };
            let next = self.candidates.swap_remove(best);
            for other in &mut self.candidates {
                other.score *= 1.0 - other.share_below(board, &next.places);
            }
            self.best = self.best.max(next.score);
            chosen.push(next.index);
        }
        chosen
    }

    /// Whether the board should be read again.
    pub(super) fn is_worn_out(&self) -> bool {
        self.rounds >= ROUNDS || self.best * WORN_OUT < self.best_at_first
    }

    /// A node will be refuted, with everything below it: what the candidates would decide becomes less.
    pub(super) fn refuted(&mut self, board: &Board<'_>, node: &Node) {
        let places = board.places(node);
        for candidate in &mut self.candidates {
            candidate.below *= 1.0 - candidate.share_below(board, &places);
        }
    }

    /// Forgets all candidates.
    pub(super) fn clear(&mut self) {
        self.candidates.clear();
    }
}

impl Candidate {
    /// How much of what is below the candidate is below another node, too, by the last count of the board.
    fn share_below(&self, board: &Board<'_>, places: &[u32]) -> f32 {
        // The greatest node below both has the lower level of each column.
        let both: u32 = self.places.iter().zip(places).map(|(&a, &b)| a.min(b)).sum();
        board.below(both as usize) as f32 / board.below(self.index).max(1) as f32
    }
}
