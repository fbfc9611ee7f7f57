//! Columns whose labels may come from a few levels only.

use super::run::{Effort, Quiet};
use super::stopping::Stopping;
use super::{Recoding, RecodingError};
use crate::search::Algorithm;
use crate::solve;
use crate::task::Task;

/// Sets of levels that are tried for one column; with more of them, single levels are exchanged.
const MOST_SETS: usize = 40;

impl Task {
    /// A local recoding in which the labels of a column come from at most `most` levels: one of them keeps the column uniform.
    ///
    /// Which levels these are is decided column by column, by the loss of a recoding without moves. The lower bound is that of
    /// all levels, so it holds whatever was decided.
    pub fn recode_limited(
        &self,
        most: &[Option<u8>],
        effort: &Effort<'_>,
    ) -> Result<Option<Recoding>, RecodingError> {
        let ranges = self.lattice().lowest().iter().zip(self.lattice().highest());
        let all: Vec<Vec<u8>> = ranges.map(|(&low, &high)| (low..=high).collect()).collect();
        let mut levels = all.clone();
        let observer = Quiet(effort.observer);
        let quick = Effort { moves: Some(0), seed: effort.seed, observer: &observer };
        for (column, limit) in most.iter().enumerate() {
            let Some(few) = limit.map(usize::from).filter(|&few| few < levels[column].len()) else {
                continue;
            };
            let mut best: Option<(f64, Vec<u8>)> = None;
            for set in sets(&levels[column], few.max(1)) {
                if effort.observer.stop() {
                    return Ok(None);
                }
                let mut tried = levels.clone();
                tried[column] = set.clone();
                let loss = self.recode_between(&tried, &all, &quick)?.map(|found| found.loss);
                if loss.is_some_and(|loss| best.as_ref().is_none_or(|(least, _)| loss < *least)) {
                    best = loss.map(|loss| (loss, set));
                }
            }
            match best {
                Some((_, set)) => levels[column] = set,
                // No joining keeps the promise; one node may.
                None => {
                    return match self.levels_of_best_node(&all, most, effort)? {
                        Some(of_node) => self.recode_between(&of_node, &all, effort),
                        None => Ok(None),
                    };
                }
            }
        }
        if let Some(of_node) =
            self.levels_of_best_node(&all, most, effort)?.filter(|of_node| *of_node != levels)
        {
            let loss = |levels: &[Vec<u8>]| -> Result<Option<f64>, RecodingError> {
                Ok(self.recode_between(levels, &all, &quick)?.map(|found| found.loss))
            };
            let (chosen, other) = (loss(&levels)?, loss(&of_node)?);
            if other.is_some_and(|other| chosen.is_none_or(|chosen| other < chosen)) {
                levels = of_node;
            }
        }
        self.recode_between(&levels, &all, effort)
    }

    /// For the columns with few levels that of the best full-domain release and the coarsest others; `None` where there is no such release.
    fn levels_of_best_node(
        &self,
        all: &[Vec<u8>],
        most: &[Option<u8>],
        effort: &Effort<'_>,
    ) -> Result<Option<Vec<Vec<u8>>>, RecodingError> {
        let stop = || effort.observer.stop();
        let search = solve::Effort { observer: &Stopping(&stop), ..solve::Effort::default() };
        let Some(best) = self.solve(Algorithm::BestFirst, &search)? else { return Ok(None) };
        let chosen = all.iter().zip(most).zip(best.node.levels()).map(|((levels, most), &level)| {
            let Some(most) = most.map(usize::from).filter(|&most| most < levels.len()) else {
                return levels.clone();
            };
            let others = levels.iter().rev().copied().filter(|&other| other != level);
            let mut few: Vec<u8> = std::iter::once(level).chain(others).take(most.max(1)).collect();
            few.sort_unstable();
            few
        });
        Ok(Some(chosen.collect()))
    }
}

/// Subsets of the levels, of a size: those with the coarsest level first, as they always fit.
fn sets(levels: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = vec![Vec::new()];
    for &level in levels.iter().rev() {
        let longer: Vec<Vec<u8>> = found
            .iter()
            .filter(|set| set.len() < size)
            .map(|set| std::iter::once(level).chain(set.iter().copied()).collect())
            .collect();
        found.extend(longer);
    }
    found.retain(|set| set.len() == size);
    found.truncate(MOST_SETS);
    found
}

#[cfg(test)]
mod tests {
    use super::sets;

    #[test]
    fn sets_have_the_size_that_was_asked_for() {
        assert_eq!(sets(&[0, 1, 2], 1), [vec![2], vec![1], vec![0]]);
        assert_eq!(sets(&[0, 1, 2], 2), [vec![1, 2], vec![0, 2], vec![0, 1]]);
        assert_eq!(sets(&[0, 1], 2), [vec![0, 1]]);
    }
}
