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
    let columns: Vec<&[u32]> = columns.iter().map(|&column| what.table.columns[column]).collect();
    unique_rows(&columns, what.person)
}

/// Rows whose combination of values occurs once in these columns of a table, or for one person only.
pub fn unique_rows(columns: &[&[u32]], person: Option<&[u32]>) -> usize {
    let rows: Vec<u32> = (0..columns.first().map_or(0, |column| column.len()) as u32).collect();
    let (numbers, distinct) = numbered(columns, &rows);
    let frequencies = frequencies(&numbers, distinct);
    let Some(person) = person else {
        return frequencies.into_iter().filter(|&count| count == 1).count();
    };
    let mut owners: Vec<Option<u32>> = vec![None; distinct];
    let mut shared = vec![false; distinct];
    for (row, &number) in numbers.iter().enumerate() {
        let owner = owners[number as usize].get_or_insert(person[row]);
        shared[number as usize] |= *owner != person[row];
    }
    frequencies.iter().zip(&shared).filter(|(_, shared)| !**shared).map(|(&count, _)| count as usize).sum()
}
