//! Flash_2P: bisects paths for the lowest node that passes the monotone part of the criteria, then looks at the nodes above it,
//! depth first, for the ones that pass all of them.
//!
//! Where no part is monotone (case 5) it is the second phase alone, from the bottom. Kohlmayer 2015, chapter 3, with its
//! erratum: the first path starts at the node itself, not at its successors.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{LossBy, NoGuarantee, Problem, SearchError, SearchReport};
use crate::task::Case;
use super::paths::{Phases, Walk};
use super::survey::{Halt, Survey};
use crate::criteria::Monotonicity;

pub(super) struct FlashTwoPhase;

impl SearchAlgorithm for FlashTwoPhase {
    fn card(&self) -> Card {
        Card {
            name: "flash-two-phase",
            how: "binary search along paths from fine to coarse, ruling out what each check implies",
            source: "Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }

    fn guarantees(&self, case: Case, _: LossBy) -> Result<(), NoGuarantee> {
        if case.number() == 6 { Err(NoGuarantee::Nothing) } else { Ok(()) }
    }
}

pub(super) fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let criterion = survey.problem.case.criterion;
    let mut walk = Walk::new(survey, Phases::Two);
    match criterion {
        Monotonicity::Full | Monotonicity::Partly => walk.levels(),
        Monotonicity::None => walk.second_phase(0),
    }
}
