//! What can go wrong while reading. Errors name the place, never the cell: they outlive the permission to see the data.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Where in a file. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Physical line, from 1; line ends inside quotes count.
    pub line: Option<u64>,
    /// Row, from 1; the header does not count.
    pub row: Option<u64>,
    /// Name of the column.
    pub column: Option<String>,
}

impl Place {
    pub(super) fn line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    pub(super) fn row(row: u64) -> Self {
        Self { row: Some(row), ..Self::default() }
    }

    pub(super) fn column(self, name: &str) -> Self {
        Self { column: Some(name.to_owned()), ..self }
    }
}

/// `, line 3, column `age``: meant to follow a path.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.row) {
            (Some(line), _) => write!(f, ", line {line}")?,
            (None, Some(row)) => write!(f, ", row {row}")?,
            (None, None) => {}
        }
        match &self.column {
            Some(column) => write!(f, ", column `{column}`"),
            None => Ok(()),
        }
    }
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it, and the fields are alike in all variants")]
pub enum ReadError {
    #[error("{}: no such file", path.display())]
    NotFound { path: PathBuf },
    #[error("{} is a directory without a table in it", path.display())]
    Directory { path: PathBuf },
    #[error("{}: no file matches this pattern", path.display())]
    NothingMatches { path: PathBuf },
    #[error("{} has another format than {}; the files of one table are alike", path.display(), first.display())]
    OtherFormat { path: PathBuf, first: PathBuf },
    #[error("{} has other columns than {}; the files of one table are alike", path.display(), first.display())]
    OtherColumns { path: PathBuf, first: PathBuf },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: the workbook has no sheet of that name; its sheets are {}", path.display(), sheets.join(", "))]
    NoSuchSheet { path: PathBuf, sheets: Vec<String> },
    #[error("{}: {reason}", path.display())]
    Options { path: PathBuf, reason: &'static str },
    #[error("{}: more than {limit} bytes, which is too much to hold in memory; read it from a file", path.display())]
    TooLargeToHold { path: PathBuf, limit: u64 },
    #[error("{}: {error}", path.display())]
    Engine { path: PathBuf, error: crate::engine::EngineError },
    #[error("{} has changed while it was being processed", path.display())]
    Changed { path: PathBuf },

    #[error("{} is {what}, not a table; unpack or export it first", path.display())]
    NotATable { path: PathBuf, what: &'static str },
    #[error("{} is {what}, which cannot be read; {advice}", path.display())]
    ForeignData { path: PathBuf, what: &'static str, advice: &'static str },
    #[error("{} is empty", path.display())]
    Empty { path: PathBuf },
    #[error("{} has no header row", path.display())]
    NoHeader { path: PathBuf },
    #[error("{}{place}: the header's column {column} has no name; write one there", path.display())]
    EmptyName { path: PathBuf, place: Place, column: usize },
    #[error("{}{place}: the header's columns {first} and {second} have the same name; rename one of them", path.display())]
    DuplicateName { path: PathBuf, place: Place, first: usize, second: usize },
    #[error("{}: more than {limit} columns", path.display())]
    TooManyColumns { path: PathBuf, limit: usize },

    #[error("{}{place}: {found} cells, but the header has {expected}{advice}", path.display())]
    RaggedRow { path: PathBuf, place: Place, found: usize, expected: usize, advice: &'static str },
    #[error("{}{place}: a NUL byte; this is not plain text (or it is UTF-16: encoding = \"utf-16\")", path.display())]
    NulByte { path: PathBuf, place: Place },
    #[error("{}{place}: not UTF-8; if the file is from an older system, say encoding = \"latin-1\"", path.display())]
    NotUtf8 { path: PathBuf, place: Place },
    #[error("{}{place}: bytes that are not UTF-8 text", path.display())]
    NotText { path: PathBuf, place: Place },
    #[error("{}{place}: not {encoding}", path.display())]
    Undecodable { path: PathBuf, place: Place, encoding: &'static str },
    #[error("{}{place}: a cell larger than {limit} bytes; is a quote never closed?", path.display())]
    FieldTooLarge { path: PathBuf, place: Place, limit: usize },
    #[error("{}{place}: the quote opened in this row is never closed", path.display())]
    UnterminatedQuote { path: PathBuf, place: Place },

    #[error("{}{place}: not written as {form}", path.display())]
    Misspelled { path: PathBuf, place: Place, form: String },
    #[error("{}{place}: {what}", path.display())]
    Json { path: PathBuf, place: Place, what: &'static str },
    #[error("{}{place}: a key that the first object does not have", path.display())]
    UnknownKey { path: PathBuf, place: Place },
    #[error("{}{place}: a list or object inside a cell; flatten the table first", path.display())]
    Nested { path: PathBuf, place: Place },

    #[error("{}{place}: cells of type {kind} cannot be read", path.display())]
    UnsupportedType { path: PathBuf, place: Place, kind: String },
    #[error("{}: {what} is not supported; write the file without it", path.display())]
    UnsupportedCompression { path: PathBuf, what: String },
    #[error("{}{place}: not a finite number", path.display())]
    NotFinite { path: PathBuf, place: Place },
    #[error("{}{place}: a date outside the years 0000 to 9999", path.display())]
    DateOutOfRange { path: PathBuf, place: Place },
    #[error("{}: the {format} file is damaged", path.display())]
    Garbled { path: PathBuf, format: &'static str },
}
