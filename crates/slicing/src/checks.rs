//! What can be said of a sliced table after the fact, from columns of codes alone: also when another program did the slicing.
//!
//! Tables are columns of codes. `before` has the columns of [`ColumnGroups::columns`](crate::ColumnGroups::columns), `after` those of
//! [`ColumnGroups::released`](crate::ColumnGroups::released); equal values must have equal codes in both. Buckets are a [`Layout`] each: of the rows before, and of the released
//! positions ([`Gathers::layout`](crate::Gathers::layout)); where they are not known, [`Layout::undivided`] compares the tables as a whole.

mod dependencies;
mod diversity;
mod invariants;
mod permutation;
mod read_off;
mod relinking;

pub use dependencies::{Dependency, dependencies};
pub use diversity::{Diversity, diversity};
pub use invariants::{Violation, invariants};
pub use permutation::{Fault, Suspicion, suspicions};
pub use read_off::{ReadOff, read_off};
pub use relinking::{Relinking, relinking};

use crate::buckets::Layout;

/// A table of codes with its buckets.
#[derive(Clone, Copy)]
pub struct Sliced<'a> {
    /// The columns.
    pub columns: &'a [&'a [u32]],
    /// The buckets of their rows.
    pub layout: &'a Layout,
}

impl<'a> Sliced<'a> {
    fn pick(&self, columns: &[usize]) -> Vec<&'a [u32]> {
        columns.iter().map(|&column| self.columns[column]).collect()
    }
}

/// Rows (positions in `rows`) numbered by their projection on some columns, in the order of projections; and how many numbers there are.
pub(crate) fn numbered(columns: &[&[u32]], rows: &[u32]) -> (Vec<u32>, usize) {
    let compare = |a: &u32, b: &u32| {
        let pick = |place: &u32| rows[*place as usize] as usize;
        columns
            .iter()
            .map(|column| column[pick(a)].cmp(&column[pick(b)]))
            .find(|o| o.is_ne())
            .unwrap_or_else(|| a.cmp(b))
    };
    let mut places: Vec<u32> = (0..rows.len() as u32).collect();
    places.sort_unstable_by(compare);
    let same = |a: u32, b: u32| {
        columns.iter().all(|column| column[rows[a as usize] as usize] == column[rows[b as usize] as usize])
    };
    let mut numbers = vec![0; rows.len()];
    let mut number = 0;
    for (index, &place) in places.iter().enumerate() {
        if index > 0 && !same(places[index - 1], place) {
            number += 1;
        }
        numbers[place as usize] = number;
    }
    (numbers, if rows.is_empty() { 0 } else { number as usize + 1 })
}

/// How many rows have each number.
pub(crate) fn frequencies(numbers: &[u32], distinct: usize) -> Vec<u32> {
    let mut frequencies = vec![0; distinct];
    numbers.iter().for_each(|&number| frequencies[number as usize] += 1);
    frequencies
}

/// Runs of equal items in a sorted list: item and length.
pub(crate) fn runs<T: PartialEq + Copy>(sorted: &[T]) -> impl Iterator<Item = (T, u32)> {
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
}

#[cfg(test)]
mod tests;
