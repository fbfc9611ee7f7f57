//! Columns by place, and what they are called on the other side of a node.

use datafusion::common::{Column, DFSchema, Result};

/// Where a column is in a schema.
pub(in crate::rules) fn place(schema: &DFSchema, column: &Column) -> Result<usize> {
    schema.index_of_column(column)
}

/// The column at a place, with its qualifier.
pub(in crate::rules) fn column_at(schema: &DFSchema, place: usize) -> Column {
    let (qualifier, field) = schema.qualified_field(place);
    Column::new(qualifier.cloned(), field.name())
}

/// The columns at the same places of another schema: what a union calls them.
pub(in crate::rules) fn moved(columns: &[Column], from: &DFSchema, to: &DFSchema) -> Result<Vec<Column>> {
    columns.iter().map(|column| Ok(column_at(to, place(from, column)?))).collect()
}

/// The columns in the order of a schema.
pub(in crate::rules) fn in_order(columns: &[Column], schema: &DFSchema) -> Vec<Column> {
    schema.columns().into_iter().filter(|column| columns.contains(column)).collect()
}

/// Whether all of the first are among the second.
pub(in crate::rules) fn subset(columns: &[Column], of: &[Column]) -> bool {
    columns.iter().all(|column| of.contains(column))
}
