//! Who is a person: the owner of the data says so, in the job.

use crate::catalog::Catalog;
use datafusion::arrow::datatypes::DataType;

/// What one person is in the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// A row of a table is a person.
    Row,
    /// Rows with the same values in these columns are one person's.
    Columns(Vec<String>),
}

impl Unit {
    /// What the job declares with `[privacy] person`.
    pub fn of(catalog: &Catalog) -> Unit {
        match catalog.job().map(|job| job.privacy.person.as_slice()) {
            None | Some([]) => Unit::Row,
            Some(columns) => Unit::Columns(columns.to_vec()),
        }
    }

    /// The columns; none where a row is a person.
    pub fn columns(&self) -> &[String] {
        match self {
            Unit::Row => &[],
            Unit::Columns(columns) => columns,
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
