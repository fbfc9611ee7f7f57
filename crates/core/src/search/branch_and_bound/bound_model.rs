//! A guess at the losses that looks will find, where the loss is known by looks only.
//!
//! With the metrics of class sizes a look bounds the loss of all nodes above it ([`Verdict::lower_bound_above`](super::super::Verdict::lower_bound_above)). Where the bound is beyond the best loss so far they
//! are all ruled out, so it pays to look where that is likely and much lies above.

use super::super::Problem;
use super::surrogate::{Predictions, Surrogate};
use crate::lattice::Node;

/// The bounds that looks gave, and predictions at the others.
pub(super) struct BoundModel<'a> {
    problem: &'a Problem<'a>,
    known: Vec<(Node, f64)>,
    /// The best loss, what is known as shares of it, and how much of that is learnt.
    model: Option<(f64, Surrogate<'a>, usize)>,
    predictions: Option<Predictions>,
}

impl<'a> BoundModel<'a> {
    /// None where looks give no such bounds.
    pub(super) fn new(problem: &'a Problem<'a>) -> Option<BoundModel<'a>> {
        let bound_model = BoundModel { problem, known: Vec::new(), model: None, predictions: None };
        problem.checker.bounds_above().then_some(bound_model)
    }

    /// From this node on up no loss is below a bound.
    pub(super) fn learn(&mut self, node: &Node, bound: f64) {
        self.known.push((node.clone(), bound));
    }

    /// Predictions anew, for the best loss so far.
    pub(super) fn predict(&mut self, best: Option<f64>) {
        let Some(best) = best else { return };
        let checker = self.problem.checker;
        // The more columns tell, the smaller the classes, and the lower such losses. What is near the best loss counts most, so another best loss is another model.
        let surrogate =
            || Surrogate::new(self.problem.lattice, |column, level| -checker.detail(column, level));
        let model = self.model.take().filter(|(of, _, _)| *of == best);
        let (of, mut surrogate, learnt) = model.unwrap_or_else(|| (best, surrogate(), 0));
        for (node, bound) in &self.known[learnt..] {
            surrogate.learn(node, bound / best);
        }
        surrogate.fit();
        self.predictions = Some(surrogate.predict(1.0));
        self.model = Some((of, surrogate, self.known.len()));
    }

    /// For every node, in spreads: whether a look rules it and all above it out. None as long as nothing can be.
    pub(super) fn predictions(&self) -> Option<&Predictions> {
        self.predictions.as_ref()
    }
}
