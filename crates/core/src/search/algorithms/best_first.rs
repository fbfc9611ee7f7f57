//! The default: [branch and bound](crate::search::branch_and_bound), the node with the greatest expected gain first.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport, branch_and_bound};

pub(super) struct BestFirst;

impl SearchAlgorithm for BestFirst {
    fn card(&self) -> Card {
        Card {
            name: "best-first",
            how: "branch and bound, checking first what is expected to rule out most",
            source: "`docs/decisions/0002-best-first-by-default.md`; branch and bound: Land and Doig, \"An automatic method of solving \
                     discrete programming problems\", Econometrica 28(3), 1960.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        branch_and_bound::search(problem)
    }
}
