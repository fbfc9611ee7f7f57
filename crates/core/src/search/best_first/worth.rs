//! What a look at a node is worth: the chances of its outcomes, and what ruling out others is worth.

use super::board::Board;
use super::surrogate::Guesses;

/// What ruling out an open node is worth, if refuting one is worth 1.
const WORTH_OF_RULING_OUT: f32 = 0.5;
/// Steps that bounds are told apart by.
const STEPS: usize = 64;

/// What looks are worth, as far as it is known by now.
pub(super) struct Worth<'a> {
    pub(super) guesses: &'a Guesses,
    /// Guesses at whether a look bounds the loss above the node by more than the best one's, where looks do such a thing.
    pub(super) floors: Option<&'a Guesses>,
    /// By node, as far as it is open: what ruling out all open nodes with at least its bound is worth.
    pub(super) if_it_holds: &'a [f32],
}

impl Worth<'_> {
    /// How many open nodes a look at the node is expected to decide, if so many are below it.
    pub(super) fn score(&self, board: &Board<'_>, index: usize, below: f32) -> f32 {
        let refutes = chance(self.guesses.of(index));
        let bounds = self.floors.map_or(0.0, |floors| chance(floors.of(index)) * board.above(index) as f32);
        if !board.is_open(index) {
            return bounds + if board.may_refute(index) { refutes * below } else { 0.0 };
        }
        // A look at an open node always decides something.
        (bounds + refutes * below + (1.0 - refutes) * self.if_it_holds[index]).max(f32::MIN_POSITIVE)
    }

    /// The node with the highest score, and the score.
    pub(super) fn best_of(&self, board: &Board<'_>, nodes: &[u32]) -> Option<(f32, usize)> {
        let mut best: Option<(f32, usize)> = None;
        for index in nodes.iter().map(|&index| index as usize) {
            let below = board.below(index) as f32;
            let most_worth = if board.is_open(index) { below.max(self.if_it_holds[index]) } else { below };
            let most_worth = most_worth + board.above(index) as f32;
            // Most nodes need no guess to be out of the question.
            if best.is_some_and(|(most, _)| most_worth <= most) {
                continue;
            }
            let score = self.score(board, index, below);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, index));
            }
        }
        best
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

/// What an open node is worth if it holds: by the number of open nodes with at least its bound, which is counted in steps between the least and
/// the greatest bound.
pub(super) fn worth_if_it_holds(board: &Board<'_>) -> Vec<f32> {
    let open = |&(index, _): &(usize, &f64)| board.is_open(index);
    let bounds = || board.bounds().iter().enumerate().filter(open).map(|(_, &bound)| bound);
    let (least, most) =
        bounds().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), bound| (a.min(bound), b.max(bound)));
    let per_step = STEPS as f64 / (most - least);
    let step = |bound: f64| if per_step.is_finite() { ((bound - least) * per_step) as usize } else { 0 };
    let mut at_least = [0.0; STEPS + 1];
    bounds().for_each(|bound| at_least[step(bound)] += WORTH_OF_RULING_OUT);
    for step in (0..STEPS).rev() {
        at_least[step] += at_least[step + 1];
    }
    let worth = |(index, &bound)| if board.is_open(index) { at_least[step(bound)] } else { 0.0 };
    board.bounds().iter().enumerate().map(worth).collect()
}
