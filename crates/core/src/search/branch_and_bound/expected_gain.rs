//! What a look at a node is gain: the chances of its outcomes, and what ruling out others is gain.

use super::open_set::OpenSet;
use super::surrogate::Predictions;

/// What ruling out an open node is gain, if refuting one is gain 1.
const GAIN_OF_PRUNING: f32 = 0.5;
/// Steps that bounds are told apart by.
const STEPS: usize = 64;

/// What looks are gain, as far as it is known by now.
pub(super) struct ExpectedGain<'a> {
    pub(super) predictions: &'a Predictions,
    /// Predictions at whether a look bounds the loss above the node by more than the best one's, where looks do such a thing.
    pub(super) bound_model: Option<&'a Predictions>,
    /// By node, as far as it is open: what ruling out all open nodes with at least its bound is gain.
    pub(super) if_it_holds: &'a [f32],
}

impl ExpectedGain<'_> {
    /// How many open nodes a look at the node is expected to decide, if so many are below it.
    pub(super) fn score(&self, open_set: &OpenSet<'_>, index: usize, below: f32) -> f32 {
        let refutes = chance(self.predictions.of(index));
        let bounds = self
            .bound_model
            .map_or(0.0, |bound_model| chance(bound_model.of(index)) * open_set.above(index) as f32);
        if !open_set.is_open(index) {
            return bounds + if open_set.may_refute(index) { refutes * below } else { 0.0 };
        }
        // A look at an open node always decides something.
        (bounds + refutes * below + (1.0 - refutes) * self.if_it_holds[index]).max(f32::MIN_POSITIVE)
    }

    /// The node with the highest score, and the score.
    pub(super) fn best_of(&self, open_set: &OpenSet<'_>, nodes: &[u32]) -> Option<(f32, usize)> {
        let mut best: Option<(f32, usize)> = None;
        for index in nodes.iter().map(|&index| index as usize) {
            let below = open_set.below(index) as f32;
            let most_gain = if open_set.is_open(index) { below.max(self.if_it_holds[index]) } else { below };
            let most_gain = most_gain + open_set.above(index) as f32;
            // Most nodes need no guess to be out of the question.
            if best.is_some_and(|(most, _)| most_gain <= most) {
                continue;
            }
            let score = self.score(open_set, index, below);
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

/// What an open node is gain if it holds: by the number of open nodes with at least its bound, which is counted in steps between the least and
/// the greatest bound.
pub(super) fn gain_if_it_holds(open_set: &OpenSet<'_>) -> Vec<f32> {
    let open = |&(index, _): &(usize, &f64)| open_set.is_open(index);
    let bounds = || open_set.bounds().iter().enumerate().filter(open).map(|(_, &bound)| bound);
    let (least, most) =
        bounds().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), bound| (a.min(bound), b.max(bound)));
    let per_step = STEPS as f64 / (most - least);
    let step = |bound: f64| if per_step.is_finite() { ((bound - least) * per_step) as usize } else { 0 };
    let mut at_least = [0.0; STEPS + 1];
    bounds().for_each(|bound| at_least[step(bound)] += GAIN_OF_PRUNING);
    for step in (0..STEPS).rev() {
        at_least[step] += at_least[step + 1];
    }
    let gain = |(index, &bound)| if open_set.is_open(index) { at_least[step(bound)] } else { 0.0 };
    open_set.bounds().iter().enumerate().map(gain).collect()
}
