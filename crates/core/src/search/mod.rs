//! The search for the node that keeps the promise and loses least. One file per algorithm; all run on a [`Checker`].

mod algorithm;
mod best_first;
mod bfs;
mod checker;
mod depth_first;
mod dfs;
mod exhaustive;
mod flash;
mod flash_dfs;
mod flash_parallel;
mod flash_two_phase;
mod incognito;
mod incumbent;
mod local;
mod ola;
mod paths;
mod people;
mod problem;
mod report;
mod samarati;
mod survey;
mod tags;

pub use algorithm::{Algorithm, LossBy, NoGuarantee};
pub use checker::{CheckError, Checker, Glance, Verdict};
pub use local::LocalChecker;
pub(crate) use local::{Care, Judgement, SearchInput};
pub use people::PeopleChecker;
pub use problem::{Flow, Observer, Problem, Progress, Unobserved};
pub use report::{Best, NodeCounts, NodeState, SearchError, SearchReport};

use crate::task::Case;
use survey::{Halt, Proof, Survey};

/// Runs one algorithm on a problem. What it finds always keeps the criteria; whether it is the optimum is in the report.
pub fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Result<SearchReport, SearchError> {
    let walk: fn(&mut Survey<'_>) -> Result<(), Halt> = match algorithm {
        Algorithm::Exhaustive => return exhaustive::search(problem),
        Algorithm::BestFirst => return best_first::search(problem),
        Algorithm::FlashParallel => return flash_parallel::search(problem),
        Algorithm::Flash => flash::walk,
        Algorithm::FlashDfs => flash_dfs::walk,
        Algorithm::FlashTwoPhase => flash_two_phase::walk,
        Algorithm::Ola => ola::walk,
        Algorithm::Incognito => incognito::walk,
        Algorithm::Samarati => samarati::walk,
        Algorithm::Bfs => bfs::walk,
        Algorithm::Dfs => dfs::walk,
    };
    let mut survey = Survey::new(problem)?;
    let end = walk(&mut survey);
    // Samarati's is the one search whose proof needs more than the case: lower must be better. The bounds tell.
    let lower_is_better = algorithm != Algorithm::Samarati || survey.rest_is_ruled_out();
    let proven = algorithm.guarantees(problem.case, LossBy::Height).is_ok() && lower_is_better;
    survey.conclude(end, if proven { Proof::Found } else { Proof::Missing })
}

#[cfg(test)]
mod tests;
