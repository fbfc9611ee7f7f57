//! Samarati's search: bisects the heights for the lowest one with an anonymous node.
//!
//! Gives the optimum where the criteria are monotone and a lower node never loses more than a higher one: the height metric.
//! Of the lowest anonymous nodes it returns the first in the node order. Samarati, "Protecting respondents' identities
//! in microdata release", TKDE 13(6), 2001. The pseudocode in Kohlmayer 2015 never resets its "found on this level" flag and would
//! skip levels after the first hit; here every level starts afresh.

use super::survey::{Halt, Survey};

pub(super) fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
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
