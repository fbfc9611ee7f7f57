//! `type`: what the cells of a column are.

use super::names::names;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// Any text.
    String,
    /// Whole numbers.
    Integer,
    /// Numbers with a decimal point, kept exactly.
    Decimal,
    /// `2024-03-09`
    Date,
    /// `2024-03-09T14:05:00`
    DateTime,
    /// `true` and `false`
    Boolean,
}
names!(DataType {
    String: "string",
    Integer: "integer",
    Decimal: "decimal",
    Date: "date",
    DateTime: "datetime",
    Boolean: "boolean",
});
