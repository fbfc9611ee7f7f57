//! The search for the node that keeps the promise and loses least.
//!
//! - `algorithms`: a file per algorithm; all run on a [`Checker`].
//! - `branch_and_bound`: the method behind the default, `best-first`.
//! - `local` and `people`: the checkers over a table of this machine.

mod algorithm;
mod algorithms;
mod branch_and_bound;
mod checker;
mod incumbent;
mod local;
mod people;
mod problem;
mod report;

pub use algorithm::{Card, LossBy, NoGuarantee, run};
pub use algorithms::{Algorithm, page};
pub use checker::{CheckError, Checker, Depth, Prior, Shortcuts, SizeCheck, Verdict};
pub use local::LocalChecker;
pub(crate) use local::{Judgement, SearchInput};
pub use people::PeopleChecker;
pub use problem::{Flow, Observer, Problem, Progress, Unobserved};
pub use report::{Best, NodeCounts, NodeState, SearchError, SearchReport};

use crate::task::Case;

#[cfg(test)]
mod tests;
