//! One problem to be solved: which columns, what is promised, how much may be suppressed, what is best.

use crate::dataset::DataSet;
use crate::error::BenchError;
use crate::promise::{Promises, Threshold};
use paravent_core::quality::Metric;
use std::collections::HashSet;
use std::path::Path;

/// A problem over a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The workload it belongs to.
    pub workload: &'static str,
    /// Positions of the quasi-identifiers, in the order of the table.
    pub quasi_identifiers: Vec<usize>,
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// What is promised.
    pub promises: Promises,
    /// Share of rows that may be suppressed.
    pub suppression: Threshold,
    /// What is minimised.
    pub metric: Metric,
    /// The rows to release where the promise needs a population; the others are only known to it.
    pub subset: Subset,
}

/// Which rows of the table are to be released when the whole table is the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subset {
    /// Row i (from 0) if `(i · 2654435761) mod 2³² < ⌊2³² / 10⌋`: about a tenth, the same on every machine.
    Tenth,
    /// The rows of a list, from 0.
    Listed(HashSet<usize>),
}

impl Subset {
    /// Reads a list: one row number per line, from 0.
    pub fn read(path: &Path, rows: usize) -> Result<Subset, BenchError> {
        let text = std::fs::read_to_string(path).map_err(BenchError::io(path))?;
        let mut listed = HashSet::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match line.trim().parse::<usize>() {
                Ok(row) if row < rows => {
                    listed.insert(row);
                }
                _ => {
                    let message =
                        format!("is no row of the table, whose rows are 0 to {}", rows.saturating_sub(1));
                    return Err(paravent_pipeline::job::Problem::new(path, message)
                        .at_line(number + 1)
                        .into());
                }
            }
        }
        Ok(Subset::Listed(listed))
    }

    /// Whether a row is to be released.
    pub fn contains(&self, row: usize) -> bool {
        match self {
            Subset::Tenth => (row as u64).wrapping_mul(2_654_435_761) % (1 << 32) < (1 << 32) / 10,
            Subset::Listed(rows) => rows.contains(&row),
        }
    }
}

impl Case {
    /// The case in a few words.
    pub fn label(&self, dataset: &DataSet) -> String {
        format!(
            "{} {} {} {}",
            dataset.name,
            self.promises,
            share(self.suppression.value().to_f64()),
            self.metric.name()
        )
    }
}

/// A share of 1 as text: `0.05` → `5 %`
pub(crate) fn share(share: f64) -> String {
    let text = format!("{:.4}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_tenth_of_the_rows_is_chosen() {
        let chosen: Vec<usize> = (0..10_000).filter(|&row| Subset::Tenth.contains(row)).collect();
        assert!((950..1050).contains(&chosen.len()), "{}", chosen.len());
        assert_eq!(chosen[0], 0);
    }

    #[test]
    fn a_list_with_a_row_too_many_is_refused_at_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("subset.txt");
        std::fs::write(&path, "0\n2\n7\n").unwrap();
        assert!(Subset::read(&path, 8).unwrap().contains(7));
        let error = Subset::read(&path, 7).unwrap_err().to_string();
        assert!(error.contains("subset.txt:3") && error.contains("0 to 6"), "{error}");
    }
}
