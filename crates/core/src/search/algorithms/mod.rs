//! A file per algorithm, and what those of the literature share.

mod ascent;
mod breadth_first;
mod depth_first;
mod exhaustive;
mod flash;
mod flash_dfs;
mod flash_parallel;
mod flash_two_phase;
mod incognito;
mod ola;
mod paths;
mod samarati;
mod survey;
mod tags;

use super::branch_and_bound;
use super::{Algorithm, LossBy, Problem, SearchError, SearchReport};
use survey::{Halt, Proof, Survey};

/// Runs one algorithm on a problem. What it finds always keeps the criteria; whether it is the optimum is in the report.
pub fn run(problem: &Problem<'_>, algorithm: Algorithm) -> Result<SearchReport, SearchError> {
    let walk: fn(&mut Survey<'_>) -> Result<(), Halt> = match algorithm {
        Algorithm::Exhaustive => return exhaustive::search(problem),
        Algorithm::BestFirst => return branch_and_bound::search(problem),
        Algorithm::FlashParallel => return flash_parallel::search(problem),
        Algorithm::Flash => flash::walk,
        Algorithm::FlashDfs => flash_dfs::walk,
        Algorithm::FlashTwoPhase => flash_two_phase::walk,
        Algorithm::Ola => ola::walk,
        Algorithm::Incognito => incognito::walk,
        Algorithm::Samarati => samarati::walk,
        Algorithm::Bfs => breadth_first::walk,
        Algorithm::Dfs => depth_first::walk,
    };
    let mut survey = Survey::new(problem)?;
    let end = walk(&mut survey);
    // Samarati's is the one search whose proof needs more than the case: lower must be better. The bounds tell.
    let lower_is_better = algorithm != Algorithm::Samarati || survey.rest_is_pruned();
    let proven = algorithm.guarantees(problem.case, LossBy::Height).is_ok() && lower_is_better;
    survey.conclude(end, if proven { Proof::Found } else { Proof::Missing })
}
