//! What a search found, and how.

use super::CheckError;
use crate::lattice::{LatticeError, Node};

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchReport {
    /// The best anonymous node met; `None` when there is none, which is certain only if `optimal`.
    pub best: Option<Best>,
    /// Whether the search came to its own end instead of being stopped.
    pub complete: bool,
    /// Whether the best node is proven optimal: complete, by an algorithm that guarantees it, without unproven assumptions.
    pub optimal: bool,
    /// No node has a lower loss than this: the loss of the best node when it is optimal, less when the search was stopped.
    pub bound: Option<f64>,
    /// Nodes checked.
    pub checks: u64,
    /// Tests of few columns, the others at the top: cheap looks that are not counted as checks.
    pub subset_tests: u64,
    /// What is known of the nodes.
    pub nodes: NodeCounts,
    /// State of every node by lattice index, for views of the lattice.
    pub states: Vec<NodeState>,
}

impl SearchReport {
    /// Nodes that were decided without a check of their own.
    pub fn tagged(&self) -> u64 {
        (self.nodes.total - self.nodes.undecided).saturating_sub(self.checks)
    }
}

/// An anonymous node.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The node.
    pub node: Node,
    /// Its loss.
    pub loss: f64,
    /// Rows suppressed.
    pub suppressed_rows: u64,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// Nothing is known: the search was stopped before, or left the node out without a proof.
    Undecided,
    /// Checked or known to keep the criteria.
    Anonymous,
    /// Checked or known not to keep them.
    NotAnonymous,
    /// Not checked: whatever it is, it cannot be optimal.
    CannotBeOptimal,
}

/// How many nodes are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeCounts {
    /// All nodes.
    pub total: u64,
    /// Checked or known to keep the criteria.
    pub anonymous: u64,
    /// Checked or known not to keep them.
    pub not_anonymous: u64,
    /// Never checked because they cannot be optimal.
    pub cannot_be_optimal: u64,
    /// Left open.
    pub undecided: u64,
}

impl NodeCounts {
    pub(super) fn of(states: &[NodeState]) -> NodeCounts {
        let mut counts = NodeCounts { total: states.len() as u64, ..NodeCounts::default() };
        for state in states {
            match state {
                NodeState::Undecided => counts.undecided += 1,
                NodeState::Anonymous => counts.anonymous += 1,
                NodeState::NotAnonymous => counts.not_anonymous += 1,
                NodeState::CannotBeOptimal => counts.cannot_be_optimal += 1,
            }
        }
        counts
    }
}

/// Why a search gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Too many nodes for this algorithm.
    #[error(transparent)]
    Lattice(#[from] LatticeError),
    /// A node could not be looked at.
    #[error(transparent)]
    Check(#[from] CheckError),
}
