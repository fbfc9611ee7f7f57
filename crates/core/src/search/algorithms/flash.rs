//! Flash: the form that suits the case. Case 1 is Flash_B, which bisects paths; 2 to 5 are
//! [two phases](super::flash_two_phase); 6, where nothing can be ruled out, is [depth first](super::flash_dfs).
//!
//! Kohlmayer et al., "Flash: efficient, stable and optimal k-anonymity", PASSAT 2012; Kohlmayer 2015, chapter 3.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport};
use super::paths::{Phases, Walk};
use super::survey::{Halt, Survey};
use super::{flash_dfs, flash_two_phase};

pub(super) struct Flash;

impl SearchAlgorithm for Flash {
    fn card(&self) -> Card {
        Card {
            name: "flash",
            how: "binary search along paths from fine to coarse, ruling out what each check implies",
            source: "Kohlmayer et al., \"Flash: efficient, stable and optimal k-anonymity\", PASSAT 2012; Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    match survey.problem.case.number() {
        1 => Walk::new(survey, Phases::One).levels(),
        2..=5 => flash_two_phase::walk(survey),
        _ => flash_dfs::walk(survey),
    }
}
