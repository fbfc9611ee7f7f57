//! Why a table or a release cannot be looked at.

use paravent_job::{Problems, closest};
use paravent_prepare::transform::TransformError;
use paravent_tables::encode::ScanError;
use paravent_tables::read::ReadError;
use std::path::{Path, PathBuf};

/// Why a table or a release cannot be looked at. Messages name the place, never a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The job is at fault.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The table could not be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The transformation of a release cannot be read.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A directory without manifest.
    #[error(
        "{}: not a release: it has no manifest.json. Name the directory that `paravent anonymize` wrote, or a table",
        path.display()
    )]
    NotARelease {
        /// The directory.
        path: PathBuf,
    },
    /// A manifest that Paravent did not write.
    #[error("{}: {what}", path.display())]
    Garbled {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A release of noise, of a query or of slicing: it has no classes of its own to measure.
    #[error("{}: this is {what}, which has no classes of a generalization to look at. {advice}", path.display())]
    AnotherKind {
        /// The directory.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What to do instead.
        advice: String,
    },
    /// A column that the table does not have.
    #[error("{}: the table has no column {column:?}{}", path.display(), meant(suggestion.as_deref()))]
    UnknownColumn {
        /// The table.
        path: PathBuf,
        /// What was asked for.
        column: String,
        /// A column of the table whose name is close.
        suggestion: Option<String>,
    },
    /// The same column was given two roles.
    #[error("the column {column:?} is named twice; give each column one role")]
    TwoRoles {
        /// The column.
        column: String,
    },
    /// A row that belongs to nobody.
    #[error("{}: row {row}: column {column:?} is empty, so nobody knows whose row it is", path.display())]
    Nobody {
        /// The table.
        path: PathBuf,
        /// The column that says whose row it is.
        column: String,
        /// The row, counted from 1.
        row: u64,
    },
    /// No quasi-identifier is known.
    #[error("{}: which columns are quasi-identifiers? Say --quasi-identifiers a,b,c or --job JOB", path.display())]
    NoQuasiIdentifiers {
        /// The table.
        path: PathBuf,
    },
}

impl LoadError {
    /// A column that is not in the header. The header itself is not shown: of a file without one, it is somebody's row.
    pub(super) fn unknown_column(path: &Path, column: &str, header: &[String]) -> LoadError {
        let suggestion = closest(column, header.iter().map(String::as_str)).map(str::to_owned);
        LoadError::UnknownColumn { path: path.to_owned(), column: column.to_owned(), suggestion }
    }
}

impl From<ReadError> for LoadError {
    fn from(error: ReadError) -> LoadError {
        LoadError::Scan(ScanError::Read(error))
    }
}

fn meant(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}
