//! The slow, obvious twin: slicing written as its definition, on small tables of codes.

use crate::groups::ColumnGroups;

/// A row of codes.
pub type Row = Vec<u32>;

/// Slices a table as the definition says:
///
/// ```text
/// for each bucket i:   R_i  = select bucket i (R)
///   for each group j:  R_ij = project G_j (R_i)                       bag projection
///                      L_ij = R_ij permuted, with positions Ord = 1..|R_i|
///   R'_i = L_i1 join … join L_im on Ord, without Ord
/// R' = R'_1 union all … union all R'_n
/// ```
///
/// `permutation(n)` is asked once per bucket and group, groups of a bucket in turn, and must return an order of `0..n`. The result has the columns of
/// [`ColumnGroups::released`] and the order of the buckets; a release would follow in random order.
pub fn slice(
    rows: &[Row],
    buckets: &[Vec<usize>],
    groups: &ColumnGroups,
    permutation: &mut dyn FnMut(usize) -> Vec<usize>,
) -> Vec<Row> {
    let mut result = Vec::new();
    for bucket in buckets {
        let selected: Vec<&Row> = bucket.iter().map(|&row| &rows[row]).collect();
        let mut lists: Vec<Vec<(usize, Row)>> = Vec::new();
        for group in groups.groups() {
            let projected: Vec<Row> =
                selected.iter().map(|row| group.iter().map(|&column| row[column]).collect()).collect();
            let order = permutation(projected.len());
            lists.push(order.iter().enumerate().map(|(ord, &from)| (ord, projected[from].clone())).collect());
        }
        result.extend(joined(&lists, groups));
    }
    result
}

/// The lists of a bucket joined on Ord, in the columns of the release.
fn joined(lists: &[Vec<(usize, Row)>], groups: &ColumnGroups) -> Vec<Row> {
    let mut rows = Vec::new();
    for ord in 0..lists.first().map_or(0, Vec::len) {
        let mut parts: Vec<&Row> = Vec::new();
        for list in lists {
            parts.extend(list.iter().filter(|(other, _)| *other == ord).map(|(_, part)| part));
        }
        let cell = |column: crate::ReleasedColumn| {
            let members = &groups.groups()[column.group];
            let place = members.iter().take_while(|&&member| member != column.source).count();
            parts[column.group][place]
        };
        rows.push(groups.released().into_iter().map(cell).collect());
    }
    rows
}

/// A table with its copies, before slicing: the columns of [`ColumnGroups::released`].
pub fn with_copies(rows: &[Row], groups: &ColumnGroups) -> Vec<Row> {
    let released = groups.released();
    rows.iter().map(|row| released.iter().map(|column| row[column.source]).collect()).collect()
}

/// Rows as columns.
pub fn transposed(rows: &[Row], columns: usize) -> Vec<Vec<u32>> {
    (0..columns).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}
