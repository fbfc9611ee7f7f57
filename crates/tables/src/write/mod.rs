//! Writing released tables, and making a release appear at once.
//!
//! ```
//! use paravent_tables::write::{ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, TableWriter};
//!
//! let columns = [ReleasedColumn {
//!     name: "age".into(),
//!     kind: ColumnKind::Text,
//!     cells: vec![Some("20-39".into()), None],
//! }];
//! let mut file = Vec::new();
//! let mut table = TableWriter::new("data.csv", &mut file, &OutputFormat::Csv(CsvStyle::default()), &columns)?;
//! table.push(&[0], 2)?;
//! table.push(&[1], 1)?;
//! assert_eq!(table.finish()?.rows, 3);
//! assert_eq!(file, b"age\n20-39\n20-39\n\"\"\n");
//! # Ok::<(), paravent_tables::write::WriteError>(())
//! ```
//!
//! A released column is a short list of distinct cells and a row is a code per column, so each cell is rendered once however
//! often it occurs. The bytes depend on the cells, the rows and their order alone: same release, same digest. No array or
//! dictionary of the input reaches a writer, so nothing that was suppressed can linger in statistics or buffers.
//!
//! [`Staging`] is where a release and its private folder grow; they take their places together or not at all.

mod columnar;
mod csv;
mod error;
mod hashing;
mod held;
mod permissions;
mod records;
mod staging;
mod table;
#[cfg(test)]
mod tests;
mod typed;
mod workbook;

pub use error::WriteError;
pub use held::HeldFiles;
pub use permissions::ordinary_permissions;
pub use records::RecordWriter;
#[cfg(any(test, feature = "testing"))]
pub use staging::faults;
pub use staging::find_private;
pub use staging::{Replace, Staging, private_of};
pub use table::{
    ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, TableWriter, TextEncoding, Written, write_table,
};
