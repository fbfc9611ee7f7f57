//! Flash_DFS: depth first, leaving out whatever the criteria or a monotone metric rule out.
//!
//! Made for cases 5 and 6, where no part of the criteria is monotone and paths cannot be bisected; right in all cases.
//! Kohlmayer 2015, chapter 3.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport};
use super::ascent::ascend;
use super::survey::{Halt, Survey};

pub(super) struct FlashDfs;

impl SearchAlgorithm for FlashDfs {
    fn card(&self) -> Card {
        Card {
            name: "flash-dfs",
            how: "path by path, from fine to coarse",
            source: "Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }
}

pub(super) fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    ascend(survey, 0, |survey, node| {
        let verdict = survey.check(node)?;
        survey.tag_by_part(node, &verdict);
        survey.exclude_above(node, &verdict);
        Ok(())
    })
}
