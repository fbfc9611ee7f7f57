//! What a search algorithm is given.

use super::{Case, Checker};
use crate::lattice::{Lattice, NodeOrder};

/// A lattice to search, how to look at a node, and what a look says about others.
pub struct Problem<'a> {
    /// The nodes.
    pub lattice: &'a Lattice,
    /// Which node is preferred, and visited, first.
    pub order: &'a NodeOrder,
    /// What may be concluded.
    pub case: Case,
    /// Whether the case rests on an assumption of the user: the result is then not proven optimal.
    pub case_is_assumed: bool,
    /// Looks at nodes.
    pub checker: &'a dyn Checker,
    /// Is told about progress, and may stop the search.
    pub observer: &'a dyn Observer,
    /// Threads that may look at nodes at the same time; changes no result.
    pub threads: usize,
}

/// Hears about progress.
pub trait Observer: Sync {
    /// After each check.
    fn after_check(&self, progress: &Progress) -> Flow;
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Nodes checked.
    pub checks: u64,
    /// Nodes whose fate is decided, checked or not.
    pub decided: u64,
    /// Nodes in all.
    pub nodes: u128,
    /// Loss of the best node so far.
    pub best_loss: Option<f64>,
    /// No node has a lower loss than this, as far as is known.
    pub bound: Option<f64>,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Return the best solution so far, not proven optimal.
    Stop,
}

/// Nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn after_check(&self, _: &Progress) -> Flow {
        Flow::Continue
    }
}
