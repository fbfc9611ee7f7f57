//! What slicing never changes.

use rayon::prelude::*;

use super::Sliced;
use crate::groups::ColumnGroups;

/// What is not as slicing leaves it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A column is missing, or one too many.
    #[error("the sliced table has {after} columns, but {expected} were expected")]
    Columns {
        /// Columns of the groups, with copies.
        expected: usize,
        /// Columns of the sliced table.
        after: usize,
    },
    /// Rows were lost or made up.
    #[error("the table has {before} rows, the sliced one {after}")]
    Rows {
        /// Rows of the table.
        before: usize,
        /// Rows of the sliced table.
        after: usize,
    },
    /// The buckets have other sizes.
    #[error("the sliced table has other buckets than the table")]
    Buckets,
    /// In some buckets a group has other rows than before.
    #[error(
        "in {broken} cases a column group has other rows in a bucket than before; the first is group {group} in bucket {bucket}"
    )]
    Rebuilt {
        /// How many pairs of bucket and group.
        broken: usize,
        /// Number of the first bucket, from 1.
        bucket: usize,
        /// Number of its first such group, from 1.
        group: usize,
    },
}

/// Is the row count unchanged, and for every bucket and group the bag of rows projected on the group?
///
/// If so, every figure that needs columns of one group only is exact on the sliced table.
pub fn invariants(groups: &ColumnGroups, before: Sliced<'_>, after: Sliced<'_>) -> Result<(), Violation> {
    let expected = groups.released().len();
    if after.columns.len() != expected {
        return Err(Violation::Columns { expected, after: after.columns.len() });
    }
    if before.columns.len() != groups.columns().len() {
        return Err(Violation::Columns { expected: groups.columns().len(), after: before.columns.len() });
    }
    let rows = after.columns[0].len();
    let consistent =
        |sliced: &Sliced<'_>| sliced.columns.iter().all(|column| column.len() == sliced.layout.rows());
    if before.layout.rows() != rows || !consistent(&before) || !consistent(&after) {
        return Err(Violation::Rows { before: before.layout.rows(), after: rows });
    }
    if before.layout.offsets() != after.layout.offsets() {
        return Err(Violation::Buckets);
    }
    let released = groups.released_groups();
    let pairs = (0..before.layout.buckets())
        .into_par_iter()
        .flat_map_iter(|bucket| (0..groups.len()).map(move |group| (bucket, group)));
    let (broken, first) = pairs
        .filter(|&(bucket, group)| {
            let (old, new) = (before.pick(&groups.groups()[group]), after.pick(&released[group]));
            !same_bag((&old, before.layout.bucket(bucket)), (&new, after.layout.bucket(bucket)))
        })
        .map(|pair| (1_usize, pair))
        .reduce(|| (0, (usize::MAX, usize::MAX)), |a, b| (a.0 + b.0, a.1.min(b.1)));
    if broken == 0 {
        return Ok(());
    }
    Err(Violation::Rebuilt { broken, bucket: first.0 + 1, group: first.1 + 1 })
}

/// Do these rows of these columns make the same bag?
fn same_bag(before: (&[&[u32]], &[u32]), after: (&[&[u32]], &[u32])) -> bool {
    let (old, new) = (sorted(before.0, before.1), sorted(after.0, after.1));
    old.iter().zip(&new).all(|(&old, &new)| {
        before.0.iter().zip(after.0).all(|(was, is)| was[old as usize] == is[new as usize])
    })
}

/// Rows in the order of their cells.
fn sorted(columns: &[&[u32]], rows: &[u32]) -> Vec<u32> {
    let mut rows = rows.to_vec();
    rows.sort_unstable_by(|&a, &b| {
        let cells = |row: u32| columns.iter().map(move |column| column[row as usize]);
        cells(a).cmp(cells(b))
    });
    rows
}
