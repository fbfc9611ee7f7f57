//! Who is a person: the owner of the data says so, in the job.

use crate::catalog::Catalog;
use datafusion::arrow::datatypes::DataType;
use std::collections::BTreeMap;

/// What one person is in the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// A row of a table is a person.
    Row,
    /// Rows with the same values in these columns are one person's.
    Columns(Key),
}

/// The columns that say whose row it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    columns: Vec<String>,
    linked: BTreeMap<String, Vec<String>>,
}

impl Key {
    /// What they are called, unless a table says otherwise.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What they are called in a table, in the same order.
    pub(super) fn of_table(&self, table: &str) -> &[String] {
        self.linked.get(table).unwrap_or(&self.columns)
    }
}

impl Unit {
    /// What the job declares with `[privacy] person`.
    pub fn of(catalog: &Catalog) -> Unit {
        match catalog.job().map(|job| job.privacy.person.as_slice()) {
            None | Some([]) => Unit::Row,
            Some(columns) => {
                // A link with another number of columns leads to nobody: the table has then no person, and is refused.
                Unit::Columns(Key { columns: columns.to_vec(), linked: catalog.links().clone() })
            }
        }
    }

    /// The columns; none where a row is a person.
    pub fn columns(&self) -> &[String] {
        match self {
            Unit::Row => &[],
            Unit::Columns(key) => key.columns(),
        }
    }
}

/// Types whose values are equal exactly if their texts are. Floating-point numbers are not among them: 0.0 equals −0.0, and NaN has many
/// forms.
pub(super) fn tells_people_apart(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Boolean
                | DataType::Date32
                | DataType::Decimal128(..)
        )
}
