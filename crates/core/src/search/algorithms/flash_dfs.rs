//! Flash_DFS: depth first, leaving out whatever the criteria or a monotone metric rule out.
//!
//! Made for cases 5 and 6, where no part of the criteria is monotone and paths cannot be bisected; right in all cases.
//! Kohlmayer 2015, chapter 3.

use super::ascent::ascend;
use super::survey::{Halt, Survey};

pub(super) fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    ascend(survey, 0, |survey, node| {
        let verdict = survey.check(node)?;
        survey.tag_by_part(node, &verdict);
        survey.exclude_above(node, &verdict);
        Ok(())
    })
}
