//! Branch and bound: the search behind `best-first`.
//!
//! A node is *open* while it may still be the optimum. The search ends when no node is open; the *incumbent*, the best anonymous node found,
//! is then the optimum. Three things close a node without a check of its own, in all six cases of monotonicity:
//!
//! - **Bounding.** Its lower bound exceeds the loss of the incumbent. Bounds are known before any check
//!   ([`Prior::lower_bound`](super::Prior::lower_bound)), and verdicts raise them above and below their nodes
//!   ([`Verdict::lower_bound_above`](super::Verdict::lower_bound_above), [`Verdict::lower_bound_below`](super::Verdict::lower_bound_below)).
//! - **Refutation.** A generalization suppresses more rows than allowed, and so does everything below it
//!   ([`Verdict::refuted`](super::Verdict::refuted)).
//! - **Dominance.** A specialization is anonymous and the metric is monotone, so the node does not lose less.
//!
//! Nodes are checked in the order of [`expected_gain`]: how many open nodes a check is expected to close. The chances come from a
//! [`surrogate`], a small model of the suppression ratio that learns from each verdict. The model orders the checks and never closes a node.
//!
//! Where no row may be suppressed, the search begins with *counterexamples*: a row in a too small class of the most promising node refutes
//! every node under which its class is too small ([`Shortcuts::counterexamples`](super::Shortcuts::counterexamples)).
//!
//! - [`enumerated`]: the search on an [`open_set`] of all nodes; [`candidates`] for the next check; [`deferred`] checks; [`bound_model`] of the
//!   losses that verdicts will bound; [`workers`].
//! - [`frontier`]: the search from a queue, for lattices with too many nodes for an open set.

mod bound_model;
mod candidates;
mod deferred;
mod enumerated;
mod expected_gain;
mod frontier;
mod open_set;
mod surrogate;
mod workers;

use super::{Problem, SearchError, SearchReport};

/// Most nodes of an open set, which takes some 25 bytes per node and is read once per round.
/// A limit of memory; no benchmark table has as many.
const MOST_NODES: u64 = 1 << 21;

pub(super) fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    match problem.lattice.enumerable(MOST_NODES) {
        Ok(nodes) => enumerated::search(problem, nodes),
        Err(_) => frontier::search(problem),
    }
}

/// The search for lattices that are too large for an open set, on any lattice.
#[cfg(test)]
pub(super) fn search_frontier(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    frontier::search(problem)
}
