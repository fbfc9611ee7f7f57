//! Incognito: the quasi-identifiers one by one, then in pairs, and so on to all of them; what fails in few columns fails in more.
//!
//! LeFevre, DeWitt and Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005.
//!
//! A node of the lattice over some columns is the node of the whole lattice with all other columns at their top. So a
//! subset's failing nodes rule out, by the ordinary tags, every node whose projection they generalize; with suppression as
//! well, since rows that fail in a coarse class fail in the finer ones. A node with a column at the top was decided
//! when that column was left out and is not looked at again. Nodes that leave a column out are counted as
//! tests of a subset, the others as checks.

use crate::search::algorithm::{Card, SearchAlgorithm, in_case_1_only};
use crate::search::{LossBy, NoGuarantee, Problem, SearchError, SearchReport};
use crate::task::Case;
use super::survey::{Halt, Look, Survey};
use super::tags::fact;
use crate::lattice::Lattice;

/// Decided, or taken for decided.
const DECIDED: u8 = fact::PART_HOLDS | fact::PART_FAILS | fact::PASSED_OVER;

pub(super) struct Incognito;

impl SearchAlgorithm for Incognito {
    fn card(&self) -> Card {
        Card {
            name: "incognito",
            how: "begins with few columns and adds one at a time",
            source: "LeFevre, DeWitt and Ramakrishnan, \"Incognito: efficient full-domain k-anonymity\", SIGMOD 2005.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }

    fn guarantees(&self, case: Case, _: LossBy) -> Result<(), NoGuarantee> {
        in_case_1_only(case)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let lattice = survey.problem.lattice;
    let free = |&column: &usize| lattice.lowest()[column] < lattice.highest()[column];
    let columns: Vec<usize> = (0..lattice.dimensions()).filter(free).collect();
    for size in 1.min(columns.len())..=columns.len() {
        let look = if size == columns.len() { Look::Check } else { Look::SubsetTest };
        let mut chosen = Some((0..size).collect::<Vec<usize>>());
        while let Some(positions) = chosen {
            let subset: Vec<usize> = positions.iter().map(|&position| columns[position]).collect();
            breadth_first(survey, &over(lattice, &subset)?, look)?;
            chosen = next_choice(positions, columns.len());
        }
    }
    Ok(())
}

/// The nodes in which exactly these columns are below the top; with one column, the top as well.
fn over(lattice: &Lattice, subset: &[usize]) -> Result<Lattice, Halt> {
    let mut lowest = lattice.highest().to_vec();
    let mut highest = lattice.highest().to_vec();
    for &column in subset {
        lowest[column] = lattice.lowest()[column];
        highest[column] -= u8::from(subset.len() > 1);
    }
    Ok(Lattice::new(lowest, highest)?)
}

fn breadth_first(survey: &mut Survey<'_>, part: &Lattice, look: Look) -> Result<(), Halt> {
    for level in 0..part.level_count() {
        let nodes = part.level(level).into_iter().map(|at| survey.problem.lattice.index(&part.node(at)));
        for node in survey.without(DECIDED, nodes.collect()) {
            let verdict = survey.look(node, look)?;
            survey.tag_as_if_monotone(node, &verdict);
        }
    }
    Ok(())
}

/// The next choice of as many positions out of `all`, in lexicographic order.
fn next_choice(mut positions: Vec<usize>, all: usize) -> Option<Vec<usize>> {
    let size = positions.len();
    let at = (0..size).rev().find(|&at| positions[at] + size - at < all)?;
    positions[at] += 1;
    for later in at + 1..size {
        positions[later] = positions[later - 1] + 1;
    }
    Some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_all_there_in_order() {
        let mut chosen = Some(vec![0, 1]);
        let mut seen = Vec::new();
        while let Some(positions) = chosen {
            seen.push(positions.clone());
            chosen = next_choice(positions, 4);
        }
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(next_choice(vec![], 0), None);
    }
}
