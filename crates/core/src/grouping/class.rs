//! What a criterion sees of an equivalence class.

/// An equivalence class: rows that share all generalized quasi-identifier values.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// Rows of the table in the class.
    pub rows: u64,
    /// Rows of the population in the class; equals `rows` where no population is known.
    pub population: u64,
    /// One distribution per sensitive column of the frequency table.
    pub distributions: &'a [Distribution<'a>],
}

/// How often each value of one sensitive column occurs in a class.
#[derive(Debug, Clone, Copy)]
pub struct Distribution<'a> {
    /// Count by value code; 0 for values that do not occur.
    pub dense: &'a [u32],
    /// The codes that occur, each once, in any order.
    pub present: &'a [u32],
}

impl Distribution<'_> {
    /// Number of different values.
    pub fn distinct(&self) -> usize {
        self.present.len()
    }

    /// The counts that are not zero, in any order.
    pub fn counts(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.present.iter().map(|&value| u64::from(self.dense[value as usize]))
    }

    /// The counts that are not zero, largest first: `r_1 ≥ r_2 ≥ …`.
    pub fn descending_counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.counts().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}
