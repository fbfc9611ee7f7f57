//! Equal rows.

use rayon::prelude::*;

/// Rows that are equal in all columns.
pub(crate) struct Groups {
    /// By group: one of its rows.
    pub(crate) representatives: Vec<u32>,
    /// By row: its group.
    pub(crate) group_of: Vec<u32>,
}

/// Groups rows by their codes in the columns. Groups are in the order of their codes, and the first row of a group stands for it.
pub(crate) fn equal_rows(rows: usize, columns: &[&[u32]]) -> Groups {
    let key = |row: u32| columns.iter().map(move |column| column[row as usize]);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.par_sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
    let mut groups = Groups { representatives: Vec::new(), group_of: vec![0; rows] };
    for run in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
        let group = groups.representatives.len() as u32;
        run.iter().for_each(|&row| groups.group_of[row as usize] = group);
        groups.representatives.extend(run.first());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_in_one_group_when_they_are_equal(rows in prop::collection::vec((0u32..3, 0u32..3), 0..30)) {
            let (a, b): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
            let groups = equal_rows(rows.len(), &[&a, &b]);
            for (row, &group) in groups.group_of.iter().enumerate() {
                prop_assert_eq!(rows[groups.representatives[group as usize] as usize], rows[row]);
            }
            let mut different = rows.clone();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(groups.representatives.len(), different.len());
        }
    }
}
