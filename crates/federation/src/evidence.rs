//! What the released rows alone cannot prove: numbers about all rows, which go home with the release.
//!
//! Who counts knows values as tokens, so it says how often the n-th label of the release occurs in the whole table. A value that no released
//! row shows stays without a token: how often it occurs is told, which one it is nobody learns.

use std::collections::BTreeMap;

/// How often each value of a sensitive column occurs in the whole table, suppressed rows included: what t-closeness compares with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    /// By label of the released column.
    pub shown: Vec<Occurrence>,
    /// The values that no released row shows, the rarest first.
    pub withheld: Vec<Occurrence>,
}

/// A value, by number of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Rows of the whole table that show it.
    pub rows: u32,
    /// The branch of the hierarchy it belongs to on each level from 1 to the root, by number; empty where no distance needs a hierarchy.
    pub branches: Vec<u32>,
}

/// How large the classes of a release are in the population: what δ-presence and k-map compare with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Population {
    /// All rows of all parties.
    pub rows: u32,
    /// Classes of the population without a row of the table to release, suppressed or not.
    pub empty_classes: u32,
    /// By released row: rows of the population that share its quasi-identifiers.
    pub of_row: Vec<u32>,
}

impl Reference {
    /// Of values with these codes: shown ones in the order of their codes.
    pub(crate) fn new(
        totals: &[u32],
        is_shown: impl Fn(u32) -> bool,
        branches: impl Fn(u32) -> Vec<u32>,
    ) -> Reference {
        let mut reference = Reference::default();
        for (code, &rows) in (0u32..).zip(totals).filter(|(_, rows)| **rows > 0) {
            let list = if is_shown(code) { &mut reference.shown } else { &mut reference.withheld };
            list.push(Occurrence { rows, branches: branches(code) });
        }
        reference.withheld.sort_unstable();
        reference
    }

    /// The same for labels in another order; `place_of` says where each label is now. Labels that turn out equal are one.
    pub(crate) fn moved(&self, labels: usize, place_of: impl Fn(usize) -> usize) -> Reference {
        let mut shown = vec![Occurrence::default(); labels];
        for (label, occurrence) in self.shown.iter().enumerate().filter(|(_, value)| value.rows > 0) {
            let Some(place) = shown.get_mut(place_of(label)) else { continue };
            place.rows = place.rows.saturating_add(occurrence.rows);
            place.branches.clone_from(&occurrence.branches);
        }
        Reference { shown, withheld: self.withheld.clone() }
    }

    /// With branches numbered in the order of the labels: the numbers that came followed the order of tokens.
    pub(crate) fn renumbered(mut self) -> Reference {
        let mut known: BTreeMap<(usize, u32), u32> = BTreeMap::new();
        let mut next: Vec<u32> = Vec::new();
        for occurrence in self.shown.iter_mut().chain(&mut self.withheld) {
            next.resize(next.len().max(occurrence.branches.len()), 0);
            for (level, branch) in occurrence.branches.iter_mut().enumerate() {
                *branch = *known.entry((level, *branch)).or_insert_with(|| {
                    next[level] += 1;
                    next[level] - 1
                });
            }
        }
        self.withheld.sort_unstable();
        self
    }

    /// Rows of all values.
    pub(crate) fn rows(&self) -> u64 {
        self.all().map(|occurrence| u64::from(occurrence.rows)).sum()
    }

    /// All values.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Occurrence> {
        self.shown.iter().chain(&self.withheld)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> Reference {
        // Codes 0 to 3; 1 does not occur, 3 is not released.
        Reference::new(&[4, 0, 2, 1], |code| code < 3, |code| vec![7 - code, 9])
    }

    #[test]
    fn a_value_that_is_not_released_is_counted_and_not_placed() {
        let found = reference();
        assert_eq!(found.shown.iter().map(|value| value.rows).collect::<Vec<_>>(), [4, 2]);
        assert_eq!(found.withheld, [Occurrence { rows: 1, branches: vec![4, 9] }]);
        assert_eq!(found.rows(), 7);
    }

    #[test]
    fn labels_take_their_numbers_along() {
        let moved = reference().moved(2, |label| 1 - label);
        assert_eq!(moved.shown[0], Occurrence { rows: 2, branches: vec![5, 9] });
        assert_eq!(moved.shown[1], Occurrence { rows: 4, branches: vec![7, 9] });
        let renumbered = moved.renumbered();
        let branches: Vec<&[u32]> = renumbered.all().map(|value| &*value.branches).collect();
        assert_eq!(branches, [[0, 0], [1, 0], [2, 0]]);
    }
}
