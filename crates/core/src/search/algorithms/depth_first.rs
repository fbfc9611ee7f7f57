//! Depth-first search: a node is checked before those above it; successors in the node order.
//!
//! Leaves out what the monotone part of the criteria rules out below a failing node, and, in case 1 only, what lies above an
//! anonymous one. The metric alone rules nothing out; that is what [`flash_dfs`](super::flash_dfs) adds.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Problem, SearchError, SearchReport};
use super::ascent::ascend;
use super::survey::{Halt, Survey};

pub(super) struct Dfs;

impl SearchAlgorithm for Dfs {
    fn card(&self) -> Card {
        Card {
            name: "dfs",
            how: "path by path, from fine to coarse",
            source: "Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    ascend(survey, 0, |survey, node| {
        let verdict = survey.check(node)?;
        survey.tag_by_part(node, &verdict);
        if survey.problem.case.number() == 1 {
            survey.exclude_above(node, &verdict);
        }
        Ok(())
    })
}
