//! What a criterion sees of an equivalence class.

use super::Shown;

/// An equivalence class: rows that share all generalized quasi-identifier values.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// Rows of the table in the class. Where people are counted: different people with a row in the class.
    pub rows: u64,
    /// Rows of the population in the class, or different people of it; equals `rows` where no population is known.
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
    /// Sum of the counts: rows, or pairs of a person and a value where people are counted.
    pub total: u64,
    /// Who shows which values, where people are counted; where a row is a person, everybody shows one.
    pub shown: Option<Shown<'a>>,
}

impl<'a> Distribution<'a> {
    /// The values of `rows` rows, each of which is a person.
    pub fn of_rows(dense: &'a [u32], present: &'a [u32], rows: u64) -> Distribution<'a> {
        Distribution { dense, present, total: rows, shown: None }
    }

    /// Most people who can stand for different ones of these values, one value each, as far as `enough`; as many as there are values
    /// where a row is a person.
    pub fn represented(&self, values: &[u32], enough: u64) -> u64 {
        match &self.shown {
            None => (values.len() as u64).min(enough),
            Some(shown) => shown.represented(values, enough),
        }
    }

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
