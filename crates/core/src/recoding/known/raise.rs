//! Raises labels until the rows that agree in any choice of columns hold.

use super::super::judge::Judge;
use super::super::space::{Class, Space};
use super::super::start::{Groups, agglomerate};
use super::shown::Shown;
use rayon::prelude::*;

/// Sets that are compared with each other, at most, unless few are left over.
const BLOCK: usize = 1000;

/// Repairs one choice after the other, beginning with the `first`, until all hold. Labels are only raised, so that comes to an end.
/// Answers whether it worked out.
pub(super) fn raise(space: &Space<'_>, choices: &[Vec<usize>], first: usize, shown: &mut Shown) -> bool {
    let (mut clean, mut at) = (0, first);
    while clean < choices.len() {
        match repair(space, &choices[at % choices.len()], shown) {
            Repair::NotNeeded => clean += 1,
            // What was repaired holds, and raising it may have broken any other one.
            Repair::Done => clean = 1,
            Repair::Impossible => return false,
        }
        at += 1;
    }
    true
}

enum Repair {
    NotNeeded,
    Done,
    Impossible,
}

/// Joins the sets of one choice that do not hold to others, and raises the labels of all their rows to the joint ones.
fn repair(space: &Space<'_>, choice: &[usize], shown: &mut Shown) -> Repair {
    let sets = shown.sets(space, choice);
    let holds: Vec<bool> = sets
        .par_iter()
        .map_init(|| Judge::new(space), |judge, set| judge.holds(set.rows, set.tuples.iter().copied()))
        .collect();
    if holds.iter().all(|&holds| holds) {
        return Repair::NotNeeded;
    }
    let finest = (0..space.table.tuple_count() as u32)
        .flat_map(|tuple| choice.iter().map(|&column| shown.of(tuple)[column]).collect::<Vec<u32>>());
    let narrow = space.narrowed(choice, finest.collect());
    let priced = |set: Class| {
        let cost = narrow.objective.class(set.rows, narrow.row_cost(&set.labels).unwrap_or(0));
        Class { cost, ..set }
    };
    let mut sets: Vec<Class> = sets.into_iter().map(priced).collect();
    // Blocks of neighbours first, by one order of the columns and by the reverse; then what is left over among all.
    for round in 0..3 {
        let parts = blocks(&narrow, sets, round);
        let groups: Vec<Groups> =
            parts.into_par_iter().map(|part| agglomerate(&narrow, &mut Judge::new(&narrow), part)).collect();
        let failing: usize = groups.iter().map(|groups| groups.failing.len()).sum();
        sets =
            groups.into_iter().flat_map(|groups| groups.holding.into_iter().chain(groups.failing)).collect();
        if failing == 0 {
            for set in &sets {
                for &tuple in &set.tuples {
                    let labels = shown.of_mut(tuple);
                    choice.iter().zip(&set.labels).for_each(|(&column, &label)| labels[column] = label);
                }
            }
            return Repair::Done;
        }
    }
    Repair::Impossible
}

/// Sets that share coarse labels, together; all of them in the last round.
fn blocks(narrow: &Space<'_>, mut sets: Vec<Class>, round: usize) -> Vec<Vec<Class>> {
    if round >= 2 {
        return vec![sets];
    }
    let mut order: Vec<usize> = (0..narrow.width()).collect();
    if round == 1 {
        order.reverse();
    }
    let key = |set: &Class| -> Vec<u32> {
        let coarsest = order.iter().map(|&column| narrow.columns[column].coarsest(set.labels[column]));
        coarsest.chain(order.iter().map(|&column| set.labels[column])).chain([set.tuples[0]]).collect()
    };
    sets.sort_by_cached_key(key);
    let count = sets.len().div_ceil(BLOCK).max(1);
    let size = sets.len().div_ceil(count).max(1);
    let mut blocks = Vec::with_capacity(count);
    while !sets.is_empty() {
        let rest = sets.split_off(size.min(sets.len()));
        blocks.push(std::mem::replace(&mut sets, rest));
    }
    blocks
}
