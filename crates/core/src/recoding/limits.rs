//! Columns whose labels may come from a few levels only.

use super::run::{Effort, Unobserved};
use super::{Recoding, RecodingError};
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
        for (column, most) in most.iter().enumerate() {
            let Some(most) = most.map(usize::from).filter(|&most| most < levels[column].len()) else {
                continue;
            };
            let quick = Effort { moves: Some(0), seed: effort.seed, observer: &Unobserved };
            let mut best: Option<(f64, Vec<u8>)> = None;
            for set in sets(&levels[column], most.max(1)) {
                let mut tried = levels.clone();
                tried[column] = set.clone();
                let loss = self.recode_between(&tried, &all, &quick)?.map(|found| found.loss);
                if loss.is_some_and(|loss| best.as_ref().is_none_or(|(least, _)| loss < *least)) {
                    best = loss.map(|loss| (loss, set));
                }
            }
            match best {
                Some((_, set)) => levels[column] = set,
                None => return Ok(None),
            }
        }
        self.recode_between(&levels, &all, effort)
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
