//! Samarati's search: bisects the heights for the lowest one with an anonymous node.
//!
//! Gives the optimum where the criteria are monotone and a lower node never loses more than a higher one: the height metric.
//! Of the lowest anonymous nodes it returns the first in the node order. Samarati, "Protecting respondents' identities
//! in microdata release", TKDE 13(6), 2001. The pseudocode in Kohlmayer 2015 never resets its "found on this level" flag and would
//! skip levels after the first hit; here every level starts afresh.

use crate::search::algorithm::{Card, SearchAlgorithm, in_case_1_only};
use crate::search::{LossBy, NoGuarantee, Problem, SearchError, SearchReport};
use crate::task::Case;
use super::survey::{Halt, Proof, Survey};

pub(super) struct Samarati;

impl SearchAlgorithm for Samarati {
    fn card(&self) -> Card {
        Card {
            name: "samarati",
            how: "binary search over heights",
            source: "Samarati, \"Protecting respondents' identities in microdata release\", TKDE 13(6), 2001.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        let mut survey = Survey::new(problem)?;
        let end = walk(&mut survey);
        // The one proof that needs more than the case: lower must be better. The bounds tell.
        let proven = self.guarantees(problem.case, LossBy::Height).is_ok() && survey.rest_is_pruned();
        survey.conclude(end, if proven { Proof::Found } else { Proof::Missing })
    }

    fn guarantees(&self, case: Case, loss: LossBy) -> Result<(), NoGuarantee> {
        in_case_1_only(case)?;
        if loss == LossBy::Height { Ok(()) } else { Err(NoGuarantee::Height) }
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let (mut low, mut high) = (0, survey.problem.lattice.level_count());
    while low < high {
        let middle = (low + high - 1) / 2;
        if has_anonymous_node(survey, middle)? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(())
}

/// Checks the nodes of a level until one is anonymous.
fn has_anonymous_node(survey: &mut Survey<'_>, level: u32) -> Result<bool, Halt> {
    for node in survey.without(0, survey.problem.lattice.level(level)) {
        let verdict = survey.check(node)?;
        survey.tag_as_if_monotone(node, &verdict);
        if verdict.holds {
            return Ok(true);
        }
    }
    Ok(false)
}
