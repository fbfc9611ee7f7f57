//! Classes that are near each other, in blocks that can be worked on apart.

use super::random::Random;
use super::space::{Class, Space};
use rayon::prelude::*;

/// Sorts classes so that neighbours share labels, and cuts the order into blocks of about `size` tuples.
///
/// The order compares labels of all columns, the costliest to cross first, and what is costly is varied from round to round:
/// classes that a border of one round separates are together in another one.
pub(super) fn cut(
    space: &Space<'_>,
    mut classes: Vec<Class>,
    size: usize,
    random: &mut Random,
) -> Vec<Vec<Class>> {
    let keys = crossings(space, random);
    classes.par_sort_unstable_by(|left, right| {
        let (a, b) = (left.tuples[0], right.tuples[0]);
        let codes = keys.iter().map(|(column, groups)| {
            let codes = space.table.column(*column);
            (groups[codes.get(a as usize) as usize], groups[codes.get(b as usize) as usize])
        });
        codes.map(|(a, b)| a.cmp(&b)).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
    });
    let all: usize = classes.iter().map(|class| class.tuples.len()).sum();
    let blocks = all.div_ceil(size.max(1)).max(1);
    let (mut cut, mut block, mut seen) = (Vec::with_capacity(blocks), Vec::new(), 0);
    for class in classes {
        seen += class.tuples.len();
        block.push(class);
        if seen * blocks >= all * (cut.len() + 1) {
            cut.push(std::mem::take(&mut block));
        }
    }
    if !block.is_empty() {
        cut.push(block);
    }
    cut
}

/// A column with the group of every code on one level.
type Crossing<'a> = (usize, &'a [u32]);

/// All columns on all levels but the coarsest, those first whose groups are costly to leave.
fn crossings<'a>(space: &'a Space<'_>, random: &mut Random) -> Vec<Crossing<'a>> {
    let mut keys = Vec::new();
    for (column, ladder) in space.task.ladders().iter().enumerate() {
        // A column is more or less important in this round, on all of its levels.
        let importance = 0.25 + 0.75 * random.share();
        for level in 0..ladder.max_level() {
            let above = ladder.rung(level + 1);
            let groups = above.loss.len();
            let cost: f64 = (0..groups).map(|group| space.objective.cell(column, level + 1, group)).sum();
            keys.push((cost / groups as f64 * importance, column, &ladder.rung(level).group_of[..]));
        }
    }
    keys.sort_by(|left, right| right.0.total_cmp(&left.0));
    keys.into_iter().map(|(_, column, groups)| (column, groups)).collect()
}
