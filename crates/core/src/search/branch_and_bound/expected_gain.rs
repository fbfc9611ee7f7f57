//! The expected gain of a check: how many open nodes it is expected to close.
//!
//! `E = P(refutes) · open below + P(does not) · gain if it holds + P(bounds above) · open above`.

use super::open_set::OpenSet;
use super::surrogate::Predictions;

/// The gain of pruning an open node, where refuting one counts 1. Chosen on the tuning set of `docs/guide/bench.md`.
const GAIN_OF_PRUNING: f32 = 0.5;
/// Steps that bounds are rounded to when open nodes are counted by bound. Measure a change with the tuning set of `docs/guide/bench.md`.
const STEPS: usize = 64;

/// The expected gain of checks, by what is known now.
pub(super) struct ExpectedGain<'a> {
    pub(super) predictions: &'a Predictions,
    /// Predicts whether a verdict bounds the losses above the node by more than the incumbent's, where verdicts do.
    pub(super) bound_model: Option<&'a Predictions>,
    /// By open node: the gain of pruning all open nodes with at least its bound.
    pub(super) if_it_holds: &'a [f32],
}

impl ExpectedGain<'_> {
    /// The expected gain of checking the node, with `below` open nodes at or below it.
    pub(super) fn score(&self, open_set: &OpenSet<'_>, index: usize, below: f32) -> f32 {
        let refutes = chance(self.predictions.of(index));
        let bounds = self
            .bound_model
            .map_or(0.0, |bound_model| chance(bound_model.of(index)) * open_set.above(index) as f32);
        if !open_set.is_open(index) {
            return bounds + if open_set.may_refute(index) { refutes * below } else { 0.0 };
        }
        // A check of an open node always closes it.
        (bounds + refutes * below + (1.0 - refutes) * self.if_it_holds[index]).max(f32::MIN_POSITIVE)
    }

    /// The node with the highest score, and the score.
    pub(super) fn best_of(&self, open_set: &OpenSet<'_>, nodes: &[u32]) -> Option<(f32, usize)> {
        let mut best: Option<(f32, usize)> = None;
        for index in nodes.iter().map(|&index| index as usize) {
            let below = open_set.below(index) as f32;
            let most_gain = if open_set.is_open(index) { below.max(self.if_it_holds[index]) } else { below };
            let most_gain = most_gain + open_set.above(index) as f32;
            // Most nodes cannot beat the best one whatever the prediction.
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

/// The chance that a value this many deviations above 0 is above 0: the logistic function, close to the normal distribution, with
/// `e^−x ≈ (1 − x/16)^16`.
fn chance(deviations: f32) -> f32 {
    let root = 1.0 - 1.7 * deviations.clamp(-4.0, 4.0) / 16.0;
    let second = root * root;
    let fourth = second * second;
    let eighth = fourth * fourth;
    1.0 / (1.0 + eighth * eighth)
}

/// By open node: the gain of pruning all open nodes with at least its bound. They are counted in steps between the least and the
/// greatest bound.
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
