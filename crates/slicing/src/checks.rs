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
pub use read_off::{Knowledge, ReadOff};
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
    let mut numbers = vec![0; rows.len()];
    let mut number = 0;
    match packed(columns, rows) {
        Some(mut keys) => {
            keys.sort_unstable();
            for (index, &(key, place)) in keys.iter().enumerate() {
                number += u32::from(index > 0 && keys[index - 1].0 != key);
                numbers[place as usize] = number;
            }
        }
        None => {
            let places = compared(columns, rows);
            let same = |a: u32, b: u32| {
                columns
                    .iter()
                    .all(|column| column[rows[a as usize] as usize] == column[rows[b as usize] as usize])
            };
            for (index, &place) in places.iter().enumerate() {
                number += u32::from(index > 0 && !same(places[index - 1], place));
                numbers[place as usize] = number;
            }
        }
    }
    (numbers, if rows.is_empty() { 0 } else { number as usize + 1 })
}

/// The projection of every row as one number, the first column the most significant, if it fits; and its place.
fn packed(columns: &[&[u32]], rows: &[u32]) -> Option<Vec<(u64, u32)>> {
    let mut keys: Vec<(u64, u32)> = (0..rows.len() as u32).map(|place| (0, place)).collect();
    let mut largest = 1_u64;
    for column in columns {
        let codes = rows.iter().map(|&row| column[row as usize]).max().map_or(1, |most| u64::from(most) + 1);
        largest = largest.checked_mul(codes)?;
        for (key, &row) in keys.iter_mut().zip(rows) {
            key.0 = key.0 * codes + u64::from(column[row as usize]);
        }
    }
    Some(keys)
}

/// Places in the order of their projections, compared column by column.
fn compared(columns: &[&[u32]], rows: &[u32]) -> Vec<u32> {
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
    places
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
