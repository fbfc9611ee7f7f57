//! The search for the node that keeps the promise and loses least. One file per algorithm; all run on a [`Checker`].

mod algorithm;
mod algorithms;
mod branch_and_bound;
mod checker;
mod incumbent;
mod local;
mod people;
mod problem;
mod report;

pub use algorithm::{Algorithm, LossBy, NoGuarantee};
pub use checker::{CheckError, Checker, Depth, Prior, Shortcuts, SizeCheck, Verdict};
pub use local::LocalChecker;
pub(crate) use local::{Judgement, SearchInput};
pub use people::PeopleChecker;
pub use problem::{Flow, Observer, Problem, Progress, Unobserved};
pub use report::{Best, NodeCounts, NodeState, SearchError, SearchReport};

pub use algorithms::run;

use crate::task::Case;

#[cfg(test)]
mod tests;
