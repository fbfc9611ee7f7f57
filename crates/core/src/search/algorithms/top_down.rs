//! Top-down search: from the most general node towards the rows, by the specialization that loses least.
//!
//! The first way down is that of top-down specialization: Fung, Wang & Yu, "Top-down specialization for information and privacy
//! preservation", ICDE 2005. There it ends at the first node without an anonymous specialization, which need not be the best. Here it turns back
//! until every node is decided, so the optimum is proven in all six cases, and what is found on the way keeps the promises.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport};
use super::survey::{Halt, Survey};
use super::tags::fact;

pub(super) struct TopDown;

impl SearchAlgorithm for TopDown {
    fn card(&self) -> Card {
        Card {
            name: "top-down",
            how: "from coarse to fine, the specialization that loses least first, and back",
            source: "Fung, Wang & Yu, \"Top-down specialization for information and privacy preservation\", ICDE 2005, for the first way down.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let lattice = survey.problem.lattice;
    let mut stack = vec![lattice.index(&lattice.top())];
    while let Some(node) = stack.pop() {
        if survey.tags.has(node, fact::EXPANDED) {
            continue;
        }
        survey.tags.add(node, fact::EXPANDED);
        if !survey.tags.has(node, fact::PART_FAILS | fact::EXCLUDED) && !survey.is_pruned(node) {
            let verdict = survey.check(node)?;
            survey.tag_by_part(node, &verdict);
            survey.exclude_above(node, &verdict);
        }
        // Below a node whose monotone part fails everything fails. A node that is pruned or excluded is passed through: those below lose less.
        if !survey.tags.has(node, fact::PART_FAILS) {
            let below = survey.without(fact::EXPANDED | fact::PART_FAILS, lattice.predecessors(node).collect());
            stack.extend(below.into_iter().rev());
        }
    }
    Ok(())
}
