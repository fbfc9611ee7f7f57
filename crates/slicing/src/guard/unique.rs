//! Rows that are alone inside a group.

use super::Examined;
use crate::checks::{frequencies, numbered};

/// How many rows are alone with their values inside a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueGroup {
    /// Number of the group, from 1.
    pub group: usize,
    /// The columns looked at: those of the group and the known ones, as positions in the columns of the groups.
    pub columns: Vec<usize>,
    /// Rows whose combination of values occurs once in the table.
    pub rows: usize,
}

/// For every group with two columns or more. A column that stands alone shows nothing beside itself.
pub(super) fn unique(what: &Examined<'_>) -> Vec<UniqueGroup> {
    let of = |group: usize| {
        let mut columns = what.groups.groups()[group].clone();
        columns.extend(what.known.iter().filter(|known| !what.groups.groups()[group].contains(known)));
        columns.sort_unstable();
        (columns.len() > 1).then(|| UniqueGroup { group: group + 1, rows: alone(what, &columns), columns })
    };
    (0..what.groups.len()).filter_map(of).collect()
}

/// Rows whose values in these columns occur once.
fn alone(what: &Examined<'_>, columns: &[usize]) -> usize {
    unique_rows(&columns.iter().map(|&column| what.table.columns[column]).collect::<Vec<_>>())
}

/// Rows whose combination of values occurs once in these columns of a table.
pub fn unique_rows(columns: &[&[u32]]) -> usize {
    let rows: Vec<u32> = (0..columns.first().map_or(0, |column| column.len()) as u32).collect();
    let (numbers, distinct) = numbered(columns, &rows);
    frequencies(&numbers, distinct).into_iter().filter(|&count| count == 1).count()
}
