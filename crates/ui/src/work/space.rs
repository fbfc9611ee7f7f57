//! All transformations, for the picture of risk and loss. Unlike the lattice of a dry run it has figures of nodes that fail, too, and
//! hands them out as they are found.

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{PointView, SpaceView};
use paravent_core::lattice::{Lattice, Node};
use paravent_core::search::SearchError;
use paravent_core::solve::NodeChecker;
use paravent_job::Recoding;
use paravent_prepare::study::{Study, StudyError};
use paravent_prepare::threads::in_pool;
use paravent_tables::watch::{Phase, Watch};
use rayon::prelude::*;
use std::collections::{HashSet, VecDeque};

/// Lattices up to this size are looked at as a whole.
const MOST_NODES: u64 = 40_000;
/// Of larger ones: so many nodes around the best one.
const AROUND_THE_BEST: usize = 10_000;
/// Nodes between two looks at the wish to stop.
const CHUNK: usize = 256;

/// Looks at the transformations and hands out a point for each.
pub(super) fn explore(project: &Project, run: &Run) -> Result<SpaceView, Fault> {
    let (study, _) = project.study(run)?;
    if study.job.search.recoding != Recoding::Global {
        return Err(Fault::request(
            "with local recoding every class has labels of its own: there is no list of transformations",
        ));
    }
    in_pool(
        study.job.search.threads as usize,
        |_| Fault::input_output("the system makes no threads"),
        || {
            let lattice = study.task.lattice();
            let nodes: Vec<Node> = match lattice.enumerable(MOST_NODES) {
                Ok(count) => scattered(count).map(|index| lattice.node(index)).collect(),
                Err(_) => around_the_best(&study, run)?,
            };
            run.begin(Phase::Searching);
            let (checker, total) = (study.checker(), nodes.len() as u64);
            let mut looked_at = 0;
            for chunk in nodes.chunks(CHUNK) {
                if Watch::stop(run) {
                    return Err(Fault::stopped());
                }
                let points: Result<Vec<PointView>, Fault> =
                    chunk.par_iter().map(|node| point(&study, &checker, node)).collect();
                run.points(points?);
                looked_at += chunk.len() as u64;
                run.advance(looked_at, Some(total));
            }
            Ok(SpaceView {
                nodes: lattice.node_count() as f64,
                looked_at,
                columns: study.task.columns().names().to_vec(),
                lowest: lattice.lowest().to_vec(),
                highest: lattice.highest().to_vec(),
                complete: u128::from(looked_at) == lattice.node_count(),
            })
        },
    )
}

fn point(study: &Study, checker: &NodeChecker<'_>, node: &Node) -> Result<PointView, Fault> {
    let figures = checker.figures(node).map_err(|error| StudyError::from(SearchError::from(error)))?;
    let released = study.table.row_count() - figures.suppressed_rows;
    Ok(PointView {
        levels: node.levels().to_vec(),
        loss: if figures.loss.is_finite() { figures.loss } else { 0.0 },
        risk: if released > 0 { figures.classes as f64 / released as f64 } else { 0.0 },
        suppressed: figures.suppressed_rows,
        smallest: figures.smallest_class,
        holds: figures.holds,
    })
}

/// All numbers below `count`, far ones after each other, so that the picture shows its shape early.
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    // A step that shares no factor with the count meets every number once.
    let near = (count as f64 * 0.618) as u64;
    let step = (near.max(1)..).find(|step| greatest_common_divisor(*step, count) == 1).unwrap_or(1);
    (0..count).map(move |number| (u128::from(number) * u128::from(step) % u128::from(count)) as u64)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The best node and its neighbours, and theirs, as far as patience goes.
fn around_the_best(study: &Study, run: &Run) -> Result<Vec<Node>, Fault> {
    let lattice = study.task.lattice();
    let best = super::search::chosen(study, None, run)?.node;
    let (mut seen, mut queue, mut nodes) =
        (HashSet::from([best.clone()]), VecDeque::from([best]), Vec::new());
    while let Some(node) = queue.pop_front() {
        for neighbour in neighbours(lattice, &node) {
            if seen.len() < AROUND_THE_BEST && seen.insert(neighbour.clone()) {
                queue.push_back(neighbour);
            }
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn neighbours<'a>(lattice: &'a Lattice, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
    (0..lattice.dimensions()).flat_map(move |column| {
        let level = node.levels()[column];
        [level.checked_sub(1), level.checked_add(1)]
            .into_iter()
            .flatten()
            .map(move |level| node.with_level(column, level))
            .filter(|node| lattice.contains(node))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_numbers_are_all_numbers() {
        for count in [1, 2, 3, 7, 12, 64, 1000] {
            let mut all: Vec<u64> = scattered(count).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }
}
