//! Why an attack cannot be run.

use crate::LoadError;
use paravent_job::Problems;
use std::path::PathBuf;

/// Why the attacks cannot be run. Messages name the place, never a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// A table or the release cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A hierarchy or the job is at fault.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The original lacks released columns.
    #[error("{}: not the table this release was made from: it has no column {}", path.display(), quoted(columns))]
    NotTheOriginal {
        /// The table.
        path: PathBuf,
        /// What it lacks.
        columns: Vec<String>,
    },
    /// A table with another number of rows than the original.
    #[error(
        "{}: has {found} rows, but the release was made from {expected}: not the original table, or only a part of it{}",
        path.display(),
        if *population { "; if it holds the population too, say --job JOB" } else { "" }
    )]
    OtherRows {
        /// The table.
        path: PathBuf,
        /// Its rows.
        found: u64,
        /// Rows of the original.
        expected: u64,
        /// Whether the population has as many.
        population: bool,
    },
    /// A table of which the release cannot have been made.
    #[error(
        "{}: not the table this release was made from: {classes} released classes have more rows than it has people who fit; if only \
         its job says how it is written (formats of dates, decimal signs), say --job JOB",
        path.display()
    )]
    OtherTable {
        /// The table.
        path: PathBuf,
        /// Classes that cannot come from it.
        classes: u64,
    },
    /// A table whose rows have other cells than the released ones.
    #[error(
        "{}: not the table this release was made from: {rows} released rows are not among its rows; {} (changed, or in another order?). If \
         only its job says how it is written (formats of dates, decimal signs), say --job JOB",
        path.display(),
        differing(columns)
    )]
    OtherCells {
        /// The table.
        path: PathBuf,
        /// Released rows that it does not have.
        rows: u64,
        /// Columns that already differ beside the quasi-identifiers.
        columns: Vec<String>,
    },
    /// A table into which the released rows do not fit, though every class has labels of its own.
    #[error(
        "{}: not the table this release was made from, or the release was changed: {rows} released rows have labels or cells that no row of \
         the table has. If only its job says how it is written (formats of dates, decimal signs), say --job JOB",
        path.display()
    )]
    NotItsRows {
        /// The table.
        path: PathBuf,
        /// Released rows that it does not explain.
        rows: u64,
    },
    /// Two tables share no column.
    #[error("{}: has no quasi-identifier of the release; it needs at least one of {}", path.display(), quoted(wanted))]
    NoCommonColumn {
        /// The table.
        path: PathBuf,
        /// The quasi-identifiers.
        wanted: Vec<String>,
    },
    /// A population or control group without all quasi-identifiers.
    #[error("{}: needs every quasi-identifier of the release, but has no column {}", path.display(), quoted(columns))]
    Incomplete {
        /// The table.
        path: PathBuf,
        /// What it lacks.
        columns: Vec<String>,
    },
    /// No record of a table looks like a released row.
    #[error(
        "{}: none of its records fits a released row; is it about the same kind of people, spelled as in the original table?",
        path.display()
    )]
    NothingFits {
        /// The table.
        path: PathBuf,
    },
    /// A list and the original name nobody in common.
    #[error("{}: no value of the column {key:?} is in the original table too; name the column that identifies people with --key", path.display())]
    NobodyInCommon {
        /// The list.
        path: PathBuf,
        /// The column.
        key: String,
    },
    /// Something was named that the release does not have.
    #[error("{option} names the column {column:?}, which {what}")]
    UnknownColumn {
        /// The option.
        option: &'static str,
        /// The column.
        column: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Options that do not go together.
    #[error("{0}")]
    Options(String),
    /// A query log that cannot be read.
    #[error("{}{}: {what}", path.display(), line.map_or_else(String::new, |line| format!(":{line}")))]
    Log {
        /// The file.
        path: PathBuf,
        /// The line.
        line: Option<usize>,
        /// What is wrong.
        what: String,
    },
}

fn differing(columns: &[String]) -> String {
    match columns {
        [] => "its columns belong together in another way".to_owned(),
        [one] => format!("the column {one:?} differs"),
        several => format!("the columns {} differ", quoted(several)),
    }
}

fn quoted(columns: &[String]) -> String {
    columns.iter().map(|column| format!("{column:?}")).collect::<Vec<_>>().join(", ")
}
