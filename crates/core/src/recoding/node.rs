//! The best full-domain release as classes of boxes: what a local recoding can always fall back on.

use super::RecodingError;
use super::space::{Class, Space};
use crate::hierarchy::Ladder;
use crate::release::{Fate, Solution};
use crate::search::Algorithm;
use crate::solve::Effort;
use crate::task::{QuasiIdentifier, QuasiIdentifiers};
use hashbrown::HashMap;

/// The levels of the best node that the columns may show, and its classes, without those that it suppresses; `None` where no node holds.
pub(super) fn best_node(space: &Space<'_>) -> Result<Option<(Vec<u8>, Vec<Class>)>, RecodingError> {
    let allowed: Vec<Vec<u8>> = space.columns.iter().map(|column| column.levels()).collect();
    let Some((levels, solution)) = solve_within(space, &allowed)? else { return Ok(None) };
    let fates = solution.fates.by_tuple();
    let mut classes: HashMap<Box<[u32]>, Vec<u32>> = HashMap::new();
    for &tuple in space.tuples.iter().filter(|&&tuple| fates[tuple as usize] == Fate::Kept) {
        let finest = space.columns.iter().zip(space.finest(tuple)).zip(&levels);
        let labels: Option<Box<[u32]>> =
            finest.map(|((column, &label), &level)| column.at_level(label, level)).collect();
        let Some(labels) = labels else { return Ok(None) };
        classes.entry(labels).or_default().push(tuple);
    }
    let mut classes: Vec<(Box<[u32]>, Vec<u32>)> = classes.into_iter().collect();
    classes.sort_unstable();
    let classed = |(labels, tuples): (Box<[u32]>, Vec<u32>)| Class::boxed(space, tuples, labels);
    Ok(Some((levels, classes.into_iter().map(classed).collect())))
}

/// The best node of these levels of each column, and what it makes of the table.
fn solve_within(
    space: &Space<'_>,
    allowed: &[Vec<u8>],
) -> Result<Option<(Vec<u8>, Solution)>, RecodingError> {
    let (task, lattice) = (space.task, space.task.lattice());
    let threads = rayon::current_num_threads();
    let effort = Effort { threads, observer: &space.stopping, ..Effort::default() };
    let ranges = lattice.lowest().iter().zip(lattice.highest());
    if ranges.zip(allowed).all(|((&low, &high), allowed)| allowed.iter().copied().eq(low..=high)) {
        let solution = task.solve(Algorithm::BestFirst, &effort)?;
        return Ok(solution.map(|solution| (solution.node.levels().to_vec(), solution)));
    }
    // Ladders of these levels alone, with the values as they came in below them.
    let columns = task.columns();
    let mut narrow = Vec::new();
    for (((name, ladder), &weight), allowed) in
        columns.names().iter().zip(columns.ladders()).zip(columns.weights()).zip(allowed)
    {
        let below = if allowed.first() == Some(&0) { None } else { Some(0) };
        let rungs = below.iter().chain(allowed).map(|&level| ladder.rung(level).clone()).collect();
        let Ok(ladder) = Ladder::from_rungs(rungs) else { return Ok(None) };
        let levels = u8::from(below.is_some())..=ladder.max_level();
        narrow.push(QuasiIdentifier { name: name.clone(), ladder, levels, weight });
    }
    let Ok(narrow) = QuasiIdentifiers::new(narrow) else { return Ok(None) };
    let Some(solution) = task.over_columns(narrow).solve(Algorithm::BestFirst, &effort)? else {
        return Ok(None);
    };
    let levels = solution.node.levels().iter().zip(allowed).map(|(&position, allowed)| {
        let below = u8::from(allowed.first() != Some(&0));
        allowed[usize::from(position - below)]
    });
    Ok(Some((levels.collect(), solution)))
}
