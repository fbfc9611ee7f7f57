//! Breadth-first search: level by level from the bottom, in the node order.
//!
//! Seen from below, only what lies above an anonymous node can be left out, and only where neither its verdict nor its loss
//! is needed: in case 1. In all other cases every node is checked.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport};
use super::survey::{Halt, Survey};
use super::tags::fact;

pub(super) struct Bfs;

impl SearchAlgorithm for Bfs {
    fn card(&self) -> Card {
        Card {
            name: "bfs",
            how: "height by height, from fine to coarse",
            source: "Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let lattice = survey.problem.lattice;
    for level in 0..lattice.level_count() {
        // No node says anything about others on its level.
        for node in survey.without(fact::PART_FAILS | fact::EXCLUDED, lattice.level(level)) {
            let verdict = survey.check(node)?;
            survey.tag_by_part(node, &verdict);
            if survey.problem.case.number() == 1 {
                survey.exclude_above(node, &verdict);
            }
        }
    }
    Ok(())
}
