//! The search for the node that keeps the promise and loses least. One file per algorithm; all run on a [`Checker`].

mod best_first;
mod case;
mod checker;
mod exhaustive;
mod flash;
mod incumbent;
mod local;
mod problem;
mod report;
mod tags;

pub use case::Case;
pub use checker::{CheckError, Checker, Verdict};
pub use local::{LocalChecker, SearchInput};
pub use problem::{Flow, Observer, Problem, Progress, Unobserved};
pub use report::{Best, NodeCounts, NodeState, SearchError, SearchReport};

/// The algorithms by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Visits every node: the obvious twin of all others.
    Exhaustive,
    /// Flash: paths by binary search, predictive tagging by the six cases of monotonicity.
    Flash,
    /// Looks where a look decides most, by loss bounds, refutation and a model that learns from each look: far fewer checks.
    BestFirst,
}

impl Algorithm {
    /// The name in job files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Exhaustive => "exhaustive",
            Algorithm::Flash => "flash",
            Algorithm::BestFirst => "best-first",
        }
    }

    /// All algorithms.
    pub const ALL: [Algorithm; 3] = [Algorithm::Exhaustive, Algorithm::Flash, Algorithm::BestFirst];

    /// The algorithm of this name.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// Runs one algorithm on a problem.
pub fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Result<SearchReport, SearchError> {
    match algorithm {
        Algorithm::Exhaustive => exhaustive::search(problem),
        Algorithm::Flash => flash::search(problem),
        Algorithm::BestFirst => best_first::search(problem),
    }
}

#[cfg(test)]
mod tests;
