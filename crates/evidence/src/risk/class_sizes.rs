//! How large the classes are.

use std::collections::BTreeMap;

/// How many classes have how many rows. Everything that is said of class sizes alone is computed from this.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClassSizes {
    classes_of: BTreeMap<u64, u64>,
}

impl ClassSizes {
    /// Counts sizes; classes of no row do not count.
    #[must_use]
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> ClassSizes {
        let mut classes_of = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *classes_of.entry(size).or_insert(0) += 1;
        }
        ClassSizes { classes_of }
    }

    /// From pairs of a size and the number of classes of that size.
    #[must_use]
    pub fn of_counts(counts: impl IntoIterator<Item = (u64, u64)>) -> ClassSizes {
        let mut classes_of = BTreeMap::new();
        for (size, classes) in counts.into_iter().filter(|&(size, classes)| size > 0 && classes > 0) {
            *classes_of.entry(size).or_insert(0) += classes;
        }
        ClassSizes { classes_of }
    }

    /// Pairs of a size and how many classes have it, smallest first.
    pub fn counts(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + Clone {
        self.classes_of.iter().map(|(&size, &classes)| (size, classes))
    }

    /// How many classes have this size.
    #[must_use]
    pub fn classes_of(&self, size: u64) -> u64 {
        self.classes_of.get(&size).copied().unwrap_or(0)
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> u64 {
        self.classes_of.values().sum()
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.counts().map(|(size, classes)| size * classes).sum()
    }

    /// Rows of the smallest class; 0 if there is none.
    #[must_use]
    pub fn smallest(&self) -> u64 {
        self.classes_of.keys().next().copied().unwrap_or(0)
    }

    /// Rows of the largest class; 0 if there is none.
    #[must_use]
    pub fn largest(&self) -> u64 {
        self.classes_of.keys().next_back().copied().unwrap_or(0)
    }

    /// Rows in classes of fewer than `k` rows.
    #[must_use]
    pub fn rows_below(&self, k: u64) -> u64 {
        self.classes_of.range(..k).map(|(size, classes)| size * classes).sum()
    }
}
