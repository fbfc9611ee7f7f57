//! Flash: the form that suits the case. Case 1 is Flash_B, which bisects paths; 2 to 5 are
//! [two phases](super::flash_two_phase); 6, where nothing can be ruled out, is [depth first](super::flash_dfs).
//!
//! Kohlmayer et al., "Flash: efficient, stable and optimal k-anonymity", PASSAT 2012; Kohlmayer 2015, chapter 3.

use super::paths::{Phases, Walk};
use super::survey::{Halt, Proof, Survey};
use super::{Problem, SearchError, SearchReport, flash_dfs, flash_two_phase};
use crate::criteria::Monotonicity;

pub(super) use super::paths::Pruning;

pub(super) fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    match survey.problem.case.number() {
        1 => Walk::new(survey, Phases::One, Pruning::Published).levels(),
        2..=5 => flash_two_phase::walk(survey),
        _ => flash_dfs::walk(survey),
    }
}

/// The walk of Flash with more pruning.
pub(super) fn search(problem: &Problem<'_>, pruning: Pruning) -> Result<SearchReport, SearchError> {
    let mut survey = Survey::new(problem)?;
    let phases = if problem.case.number() == 1 { Phases::One } else { Phases::Two };
    let mut walk = Walk::new(&mut survey, phases, pruning);
    let end = match problem.case.criterion {
        Monotonicity::Full | Monotonicity::Partly => walk.levels(),
        Monotonicity::None => walk.second_phase(0),
    };
    survey.conclude(end, Proof::Found)
}
