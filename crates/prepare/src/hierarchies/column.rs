//! The values of one column of a table.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

use paravent_core::values::{ValueType, type_of};

use paravent_tables::read::{Batch, Input, ReadError, listed_columns};

/// The distinct values of one column.
#[derive(Clone, PartialEq, Eq)]
pub struct ColumnValues {
    /// The table.
    pub path: PathBuf,
    /// Name of the column.
    pub column: String,
    /// Rows of the table.
    pub rows: u64,
    /// Texts of the missing value in the table; the empty one unless it was read with others.
    pub null: Vec<String>,
    /// Sorted by type, then text; the missing value comes first if it occurs.
    values: Vec<Option<String>>,
}

/// Why a column cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table has no such column.
    #[error("{} has no column `{column}`; its columns are {}", path.display(), listed_columns(columns))]
    NoSuchColumn {
        /// The table.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// The columns there are.
        columns: Vec<String>,
    },
}

impl ColumnValues {
    /// Reads the column of that name.
    ///
    /// # Errors
    /// If the table cannot be read or has no such column.
    pub fn read(input: &Input, column: &str) -> Result<Self, ColumnError> {
        let mut source = input.open()?;
        let path = source.path().to_owned();
        let Some(position) = source.columns().iter().position(|name| name == column) else {
            let columns = source.columns().to_vec();
            return Err(ColumnError::NoSuchColumn { path, column: column.to_owned(), columns });
        };
        source.select(&[position])?;
        let (mut batch, mut seen, mut missing) = (Batch::default(), HashSet::new(), false);
        while source.next_batch(&mut batch)? {
            for cell in batch.columns[0].iter() {
                match cell {
                    None => missing = true,
                    Some(text) if seen.contains(text) => {}
                    Some(text) => {
                        seen.insert(text.to_owned());
                    }
                }
            }
        }
        let values = missing.then_some(None).into_iter().chain(seen.into_iter().map(Some)).collect();
        let column = Self::new(path, column, source.rows_read(), values);
        let null = input.options().null.clone().unwrap_or_else(|| column.null.clone());
        Ok(Self { null, ..column })
    }

    /// From distinct values in any order.
    pub fn new(path: impl Into<PathBuf>, column: &str, rows: u64, values: Vec<Option<String>>) -> Self {
        let ty = type_of(&values.iter().map(Option::as_deref).collect::<Vec<_>>());
        let mut values = values;
        values.sort_by(|a, b| match (a, b) {
            (Some(a), Some(b)) => ty.compare(a, b),
            _ => a.cmp(b),
        });
        values.dedup();
        Self { path: path.into(), column: column.to_owned(), rows, null: vec![String::new()], values }
    }

    /// The distinct values, sorted; `None` is the missing one.
    pub fn values(&self) -> Vec<Option<&str>> {
        self.values.iter().map(Option::as_deref).collect()
    }

    /// What the values look like.
    pub fn data_type(&self) -> ValueType {
        type_of(&self.values())
    }
}

/// Values never reach a log: only their number is shown.
impl fmt::Debug for ColumnValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnValues({:?}, {} values in {} rows)", self.column, self.values.len(), self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_tables::read::ReadOptions;

    fn table(text: &str) -> Input {
        Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("p.csv"))
    }

    #[test]
    fn values_are_distinct_and_sorted_by_their_type() {
        let column = ColumnValues::read(&table("zip;age\na;10\nb;9\nc;\nd;10\n"), "age").unwrap();
        assert_eq!(column.values(), [None, Some("9"), Some("10")]);
        assert_eq!((column.rows, column.data_type()), (4, ValueType::Integer));
        assert!(!format!("{column:?}").contains('9'));
    }

    #[test]
    fn an_unknown_column_is_answered_with_those_there_are() {
        let error = ColumnValues::read(&table("zip;age\n1;2\n"), "Age").unwrap_err();
        assert_eq!(error.to_string(), "p.csv has no column `Age`; its columns are `zip`, `age`");
    }

    #[test]
    fn types_are_told_by_all_values() {
        for (values, expected) in [
            (vec![Some("1"), Some("0"), None], ValueType::Integer),
            (vec![Some("1"), Some("0.5")], ValueType::Decimal),
            (vec![Some("2024-03-09")], ValueType::Date),
            (vec![Some("2024-03-09T14:05")], ValueType::DateTime),
            (vec![Some("yes"), Some("no")], ValueType::Boolean),
            (vec![Some("yes"), Some("5")], ValueType::String),
            (vec![None], ValueType::String),
        ] {
            assert_eq!(type_of(&values), expected, "{values:?}");
        }
    }
}
