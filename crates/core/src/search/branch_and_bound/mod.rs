//! Our own search: looks where a look decides most.
//!
//! A node is *open* while it may still be the best: its loss bound, known before any check ([`Checker::loss_bound`](super::Checker::loss_bound)),
//! does not rule it out, and no look has. To prove an optimum every open node must be looked at or refuted, and a look at a node refutes all its
//! specializations when more rows than allowed are left out in every one of them ([`Verdict::suppression_ratio`](super::Verdict::suppression_ratio)). So nodes are
//! looked at in the order of what a look is expected to decide: the chance that it refutes, times the open nodes below; plus the chance that it
//! holds, times the open nodes that its loss would rule out. The chances come from a small model of the suppression ratio that learns from
//! each look. The model decides the order only, never the result.
//!
//! Where no row may be suppressed there is a shorter way to begin with: a row in a too small class of the most promising node tells of all nodes under which
//! its class is too small ([`Checker::exposed`](super::Checker::exposed)).
//!
//! Lattices too large to write down are searched from a queue instead ([`frontier`]).
//!
//! This holds in all six cases of monotonicity: refutation, bounds and (with a monotone metric) dominance are all that is used.

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

/// Nodes a open set can hold; every round of looks reads it once.
const MOST_NODES: u64 = 1 << 21;

pub(super) fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    match problem.lattice.enumerable(MOST_NODES) {
        Ok(nodes) => enumerated::search(problem, nodes),
        Err(_) => frontier::search(problem),
    }
}

/// The search for lattices that are too large to write down, on any lattice.
#[cfg(test)]
pub(super) fn search_frontier(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    frontier::search(problem)
}
