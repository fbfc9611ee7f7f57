//! α^S on parts: rows at borders of buckets (S8), or column groups under the same buckets (S9).

use super::{Timer, ranges};
use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::results::FormTime;
use paravent_slicing::{Draw, Layout, MinimumSize, Operator, RowOrder, Secret, Windows, permute};
use rayon::prelude::*;

/// Rows of a bucket.
const BUCKET: u32 = 50;
/// Column groups.
const GROUPS: usize = 4;
/// Parts of a horizontal split.
const PARTS: usize = 16;

pub(super) fn measure(dataset: &DataSet, timer: &Timer<'_>) -> Result<Vec<FormTime>, BenchError> {
    let secret = Secret::from_seed(1);
    let columns: Vec<usize> = (0..dataset.columns.len()).collect();
    let groups: Vec<Vec<usize>> = (0..GROUPS)
        .map(|group| columns.iter().skip(group).step_by(GROUPS).copied().collect())
        .filter(|group: &Vec<usize>| !group.is_empty())
        .collect();
    let sliced = |rows: std::ops::Range<usize>, groups: &[Vec<usize>], operator: u64| {
        let layout = layout(rows.len())?;
        // Parts keep the places of their rows, so that groups fit together again.
        let draw = Draw { secret: &secret, operator: Operator(operator), order: RowOrder::Carried };
        let gathers = permute(&layout, groups.len(), &draw);
        let gathered = groups.iter().zip(gathers.into_groups()).map(|(group, gather)| {
            let column = |&column: &usize| -> Vec<u32> {
                let codes = &dataset.columns[column].codes[rows.clone()];
                gather.iter().map(|&row| codes[row as usize]).collect()
            };
            group.iter().map(column).collect::<Vec<_>>()
        });
        Ok::<_, BenchError>(gathered.collect::<Vec<_>>())
    };
    let all = 0..dataset.rows;
    let (cells, whole) = timer.form(("α^S", "whole"), || sliced(all.clone(), &groups, 1))?;
    let (by_rows, horizontal) = timer.form(("α^S", "horizontal, 16 parts"), || {
        let parts = ranges(dataset.rows, PARTS.min(dataset.rows / BUCKET as usize).max(1));
        let one = |(number, rows): (usize, std::ops::Range<usize>)| sliced(rows, &groups, number as u64 + 2);
        parts.into_par_iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()
    })?;
    let ((left, right), vertical) = timer.form(("α^S", "vertical, 2 parts"), || {
        let (left, right) = groups.split_at(groups.len() / 2);
        let (left, right) = rayon::join(|| sliced(all.clone(), left, 1), || sliced(all.clone(), right, 2));
        Ok((left?, right?))
    })?;
    let same = |parts: &[Groups]| Some(keeps_cells(dataset, &groups, parts));
    let by_columns: Groups = left.into_iter().chain(right).collect();
    Ok(vec![
        FormTime { same_cells: same(&[cells]), ..whole },
        FormTime { same_cells: same(&by_rows), ..horizontal },
        FormTime { same_cells: same(&[by_columns]), ..vertical },
    ])
}

/// Codes by group, and by column of the group.
type Groups = Vec<Vec<Vec<u32>>>;

/// Whether every column has the cells that it had before, each as often.
fn keeps_cells(dataset: &DataSet, groups: &[Vec<usize>], parts: &[Groups]) -> bool {
    let sorted = |mut codes: Vec<u32>| {
        codes.sort_unstable();
        codes
    };
    groups.iter().enumerate().all(|(group, columns)| {
        columns.iter().enumerate().all(|(at, &column)| {
            let of_part = |part: &Groups| part.get(group).and_then(|group| group.get(at)).cloned();
            let now = parts.iter().filter_map(of_part).flatten().collect();
            sorted(now) == sorted(dataset.columns[column].codes.clone())
        })
    })
}

fn layout(rows: usize) -> Result<Layout, BenchError> {
    let layout = Layout::by_rank(rows, Windows::Size(BUCKET), MinimumSize::TWO);
    layout.map_err(|error| BenchError::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_is_lost_or_changed_is_seen() {
        let dataset = DataSet::generate(&"rows=120,qi=3".parse().unwrap()).unwrap();
        let groups = [vec![0, 2], vec![1]];
        let codes = |column: usize| dataset.columns[column].codes.clone();
        let reversed = |column: usize| codes(column).into_iter().rev().collect::<Vec<u32>>();
        let mut sliced: Groups = vec![vec![codes(0), reversed(2)], vec![codes(1)]];
        assert!(keeps_cells(&dataset, &groups, std::slice::from_ref(&sliced)));
        let last = sliced[1][0].pop().unwrap();
        assert!(!keeps_cells(&dataset, &groups, std::slice::from_ref(&sliced)));
        sliced[1][0].push(last + 1);
        assert!(!keeps_cells(&dataset, &groups, &[sliced]));
    }
}
