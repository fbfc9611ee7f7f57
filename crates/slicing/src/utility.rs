//! What an analysis gets from the sliced table: exact inside a group, blurred across groups.
//!
//! Sums run over pairs of values in the order of values, not of rows. A pair of columns in one group has the same bag of pairs before and after, so its figures are equal to
//! the last bit.

mod coded;
mod numeric;

pub use coded::{CodedPair, association, coded_pairs};
pub use numeric::{NumericColumn, NumericPair, Regression, correlation, numeric_pairs, regression};

use crate::groups::ColumnGroups;

/// What becomes of the association of two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They share a group: every figure over the two is exact.
    Kept,
    /// They stand in different groups: what they say about each other is blurred inside each bucket.
    Blurred,
}

/// A figure on the table and on the sliced one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison<T> {
    /// On the table.
    pub before: T,
    /// On the sliced table.
    pub after: T,
}

/// The fate of two columns (positions in [`ColumnGroups::columns`]), and where they stand in the columns of [`ColumnGroups::released`]: in their common group if they have one, else in the
/// first group of each.
fn fate(groups: &ColumnGroups, first: usize, second: usize) -> (Fate, usize, usize) {
    let released = groups.released();
    let place = |source: usize, group: usize| {
        released.iter().position(|column| column.source == source && column.group == group)
    };
    match groups.together(first, second) {
        Some(group) => {
            let places = (place(first, group), place(second, group));
            (Fate::Kept, places.0.unwrap_or(first), places.1.unwrap_or(second))
        }
        // Originals come first among the released columns, in the order of the table.
        None => (Fate::Blurred, first, second),
    }
}

#[cfg(test)]
mod tests;
