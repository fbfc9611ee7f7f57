//! A model of the bounds that verdicts will give, where losses are known from class sizes only.
//!
//! With the metrics of class sizes a verdict bounds the losses above its node
//! ([`Verdict::lower_bound_above`](super::super::Verdict::lower_bound_above)). Where the bound exceeds the incumbent's loss, all these nodes are
//! pruned. So it pays to check where that is likely and much lies above. The model orders the checks only.

use super::super::Problem;
use super::surrogate::{Predictions, Surrogate};
use crate::lattice::Node;

/// The bounds that verdicts gave, and predictions of the others.
pub(super) struct BoundModel<'a> {
    problem: &'a Problem<'a>,
    known: Vec<(Node, f64)>,
    /// The incumbent's loss, the model of bounds relative to it, and how many of the known bounds it has learnt.
    model: Option<(f64, Surrogate<'a>, usize)>,
    predictions: Option<Predictions>,
}

impl<'a> BoundModel<'a> {
    /// `None` where verdicts give no such bounds.
    pub(super) fn new(problem: &'a Problem<'a>) -> Option<BoundModel<'a>> {
        let bound_model = BoundModel { problem, known: Vec::new(), model: None, predictions: None };
        problem.checker.prior().verdicts_bound_above().then_some(bound_model)
    }

    /// Learns a lower bound of the losses above a node.
    pub(super) fn learn(&mut self, node: &Node, bound: f64) {
        self.known.push((node.clone(), bound));
    }

    /// Predictions anew, for the best loss so far.
    pub(super) fn predict(&mut self, best: Option<f64>) {
        let Some(best) = best else { return };
        let checker = self.problem.checker;
        // More information means smaller classes and lower losses of this kind. Bounds near the incumbent's loss count most, so another
        // incumbent is another model.
        let surrogate = || {
            Surrogate::new(self.problem.lattice, |column, level| -checker.prior().information(column, level))
        };
        let model = self.model.take().filter(|(of, _, _)| *of == best);
        let (of, mut surrogate, learnt) = model.unwrap_or_else(|| (best, surrogate(), 0));
        for (node, bound) in &self.known[learnt..] {
            surrogate.learn(node, bound / best);
        }
        surrogate.fit();
        self.predictions = Some(surrogate.predict(1.0));
        self.model = Some((of, surrogate, self.known.len()));
    }

    /// By node, in deviations: whether a verdict prunes it and all above it. `None` while there is no incumbent.
    pub(super) fn predictions(&self) -> Option<&Predictions> {
        self.predictions.as_ref()
    }
}
