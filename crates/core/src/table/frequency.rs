//! Distinct quasi-identifier tuples with their weights.

use super::{ColumnCodes, SensitiveColumn};

/// The distinct quasi-identifier tuples of a table: codes × rows × sensitive histograms (× population rows).
///
/// All criteria and metrics rest on these counts, so the search needs nothing else: its memory grows with the
/// distinct tuples, not with the rows. A tuple with no row is allowed where a population is known.
///
/// No later count can wrap around. [`new`](Self::new) adds all rows, the population and each sensitive column up in 64 bits and refuses
/// a sum that 32 bits cannot hold. Classes divide the tuples, so every count of the search is a part of one of these sums. That is why
/// the release build does not check single additions in this crate (`docs/decisions/0041-counts-that-cannot-wrap.md`).
#[derive(Debug, Clone)]
pub struct FrequencyTable {
    columns: Vec<ColumnCodes>,
    rows: Vec<u32>,
    population: Option<Vec<u32>>,
    sensitive: Vec<SensitiveColumn>,
    row_count: u64,
}

/// Why counts do not make a frequency table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Columns, counts or histograms differ in length.
    #[error("the columns of the frequency table differ in length")]
    Ragged,
    /// A tuple has more rows in the table than in the population.
    #[error(
        "tuple {tuple}: more rows in the table than in the population, so the population does not contain the table"
    )]
    NotInPopulation {
        /// Position of the tuple.
        tuple: usize,
    },
    /// More rows than counts can hold.
    #[error("more than 4,294,967,295 rows")]
    TooManyRows,
    /// There is no row to release.
    #[error("the table has no rows")]
    Empty,
}

impl FrequencyTable {
    /// Builds the table from one code column per quasi-identifier (column-major) and a row count per tuple.
    pub fn new(
        columns: Vec<impl Into<ColumnCodes>>,
        rows: Vec<u32>,
        population: Option<Vec<u32>>,
        sensitive: Vec<SensitiveColumn>,
    ) -> Result<FrequencyTable, TableError> {
        let tuples = rows.len();
        let columns: Vec<ColumnCodes> = columns.into_iter().map(Into::into).collect();
        let same_length = columns.iter().all(|column| column.len() == tuples)
            && population.as_ref().is_none_or(|p| p.len() == tuples)
            && sensitive.iter().all(|s| s.histograms.len() == tuples);
        if !same_length {
            return Err(TableError::Ragged);
        }
        let row_count: u64 = rows.iter().map(|&n| u64::from(n)).sum();
        let population_count: u64 = population.iter().flatten().map(|&n| u64::from(n)).sum();
        let value_count = sensitive.iter().map(|column| column.histograms.total()).max().unwrap_or(0);
        if row_count.max(population_count).max(value_count) > u64::from(u32::MAX) {
            return Err(TableError::TooManyRows);
        }
        if row_count == 0 {
            return Err(TableError::Empty);
        }
        if let Some(tuple) = population
            .iter()
            .flatten()
            .zip(&rows)
            .position(|(in_population, in_table)| in_population < in_table)
        {
            return Err(TableError::NotInPopulation { tuple });
        }
        Ok(FrequencyTable { columns, rows, population, sensitive, row_count })
    }

    /// A piece of a larger table: it may have no row at all, and was counted and tested as a part of the whole.
    pub fn piece(
        columns: Vec<impl Into<ColumnCodes>>,
        rows: Vec<u32>,
        population: Option<Vec<u32>>,
        sensitive: Vec<SensitiveColumn>,
    ) -> FrequencyTable {
        let row_count = rows.iter().map(|&n| u64::from(n)).sum();
        let columns = columns.into_iter().map(Into::into).collect();
        FrequencyTable { columns, rows, population, sensitive, row_count }
    }

    /// Number of distinct tuples, those only known from the population included.
    pub fn tuple_count(&self) -> usize {
        self.rows.len()
    }

    /// Number of rows to release or suppress.
    pub fn row_count(&self) -> u64 {
        self.row_count
    }

    /// The codes of one quasi-identifier, tuple by tuple.
    pub fn column(&self, quasi_identifier: usize) -> &ColumnCodes {
        &self.columns[quasi_identifier]
    }

    /// Number of quasi-identifiers.
    pub fn column_count(&self) -> usize {
        self.columns.len()
    }

    /// Rows per tuple.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Population rows per tuple, where a population is known.
    pub fn population(&self) -> Option<&[u32]> {
        self.population.as_deref()
    }

    /// The constrained sensitive columns.
    pub fn sensitive(&self) -> &[SensitiveColumn] {
        &self.sensitive
    }

    /// How many rows show each value of a quasi-identifier (code → rows), over `cardinality` codes.
    pub(crate) fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64> {
        let mut counts = vec![0u64; cardinality];
        self.columns[quasi_identifier]
            .each(|tuple, code| counts[code as usize] += u64::from(self.rows[tuple]));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Histograms;

    const MOST: u32 = u32::MAX;

    fn error(rows: Vec<u32>, population: Option<Vec<u32>>, counts: Vec<u32>) -> Option<TableError> {
        let codes: Vec<u32> = (0..).take(rows.len()).collect();
        let mut histograms = Histograms::new();
        for count in counts {
            histograms.push([(0, count)]);
        }
        let sensitive = SensitiveColumn { cardinality: 1, histograms };
        FrequencyTable::new(vec![codes], rows, population, vec![sensitive]).err()
    }

    #[test]
    fn sums_that_a_count_can_hold_are_taken() {
        assert_eq!(error(vec![MOST - 1, 1], Some(vec![MOST - 1, 1]), vec![MOST - 1, 1]), None);
    }

    #[test]
    fn one_row_more_is_refused_in_rows_population_and_values() {
        let too_many = Some(TableError::TooManyRows);
        assert_eq!(error(vec![MOST, 1], None, vec![1, 1]), too_many);
        assert_eq!(error(vec![1, 1], Some(vec![MOST, 1]), vec![1, 1]), too_many);
        assert_eq!(error(vec![1, 1], None, vec![MOST, 1]), too_many);
    }
}
