//! Why a release could not be examined at all.

use std::io;

/// The release cannot be examined: a file is absent, unreadable or not what it says it is.
///
/// A release that can be examined but breaks a promise is *not* an error; it is a
/// [`Verification`](crate::Verification) with violated checks. Every message names the place (file, key, row,
/// column position) and never the content of a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file of the release cannot be opened or read.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// Name of the file inside the release directory.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The rows are a table in a database.
    #[error("the rows are in the table {table}; name it with --table postgres://host/database#{table}")]
    Elsewhere {
        /// Its name.
        table: String,
    },
    /// A document is not JSON.
    #[error("{file}: not a JSON document, see line {line}, column {column}")]
    NotJson {
        /// Name of the file inside the release directory.
        file: String,
        /// Line of the first problem, from 1.
        line: usize,
        /// Column of the first problem, from 1.
        column: usize,
    },
    /// A key that the format requires is absent.
    #[error("{file}: `{key}` is missing")]
    MissingKey {
        /// Name of the file inside the release directory.
        file: String,
        /// Path of the key, such as `output.rows` or `privacy[0].required.k`.
        key: String,
    },
    /// A key is there, but its value is not what the format allows.
    #[error("{file}: `{key}` {problem}")]
    BadKey {
        /// Name of the file inside the release directory.
        file: String,
        /// Path of the key.
        key: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The data file has no header line or no columns.
    #[error("{file}: there is no header")]
    NoHeader {
        /// Name of the data file.
        file: String,
    },
    /// A row with more or fewer cells than the header.
    #[error("{file}, row {row}: {found} cells, but the header has {expected}")]
    RaggedRow {
        /// Name of the data file.
        file: String,
        /// Row number, from 1, the header not counted.
        row: u64,
        /// Cells in this row.
        found: u64,
        /// Cells in the header.
        expected: u64,
    },
    /// A cell (or, in row 0, a column name) is not valid UTF-8.
    #[error("{file}, row {row}, column {column}: not UTF-8")]
    NotUtf8 {
        /// Name of the data file.
        file: String,
        /// Row number, from 1; 0 is the header.
        row: u64,
        /// Position of the column, from 1.
        column: usize,
    },
    /// The data file is not a (complete, supported) file of its format.
    #[error("{file}: not a readable {format} file ({problem})")]
    Garbled {
        /// Name of the data file.
        file: String,
        /// The format the manifest announces.
        format: &'static str,
        /// What kind of problem the reader met.
        problem: &'static str,
    },
    /// A column of a Parquet or Arrow file has a type that no release has.
    #[error("{file}, column {column}: a column type that no release has")]
    ColumnType {
        /// Name of the data file.
        file: String,
        /// Position of the column, from 1.
        column: usize,
    },
    /// More rows or columns than this verifier counts.
    #[error("{file}: more rows or columns than can be counted")]
    TooLarge {
        /// Name of the data file.
        file: String,
    },
}
