//! Why a benchmark could not be run. Messages name files and columns, never a cell.

use paravent_core::table::TableError;
use paravent_pipeline::encode::ScanError;
use paravent_pipeline::engine::EngineError;
use paravent_pipeline::job::{Problem, Problems};
use paravent_pipeline::read::ReadError;
use paravent_pipeline::run::RunError;
use paravent_pipeline::study::StudyError;
use std::io;
use std::path::{Path, PathBuf};

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A folder without a table.
    #[error("{}: has no table; a data folder holds a table (.csv, .tsv, .parquet, .arrow, .jsonl) and hierarchies/COLUMN.csv, or a paravent.toml", path.display())]
    NoTable {
        /// The folder.
        path: PathBuf,
    },
    /// Several files could be the table.
    #[error("{}: {} could all be the table; name one like the folder, or keep only one", path.display(), names.join(", "))]
    SeveralTables {
        /// The folder.
        path: PathBuf,
        /// The files.
        names: Vec<String>,
    },
    /// A table without hierarchies cannot be generalized.
    #[error("{}: no column of {table} has a hierarchy; put one file per column into hierarchies/, such as hierarchies/{example}.csv", path.display())]
    NoHierarchies {
        /// The folder.
        path: PathBuf,
        /// The table's file name.
        table: String,
        /// A column.
        example: String,
    },
    /// A column that is asked for but not there.
    #[error("{dataset}: has no column {column}; there are {}", columns.join(", "))]
    NoSuchColumn {
        /// The data set.
        dataset: String,
        /// What was asked for.
        column: String,
        /// What there is.
        columns: Vec<String>,
    },
    /// A case that needs more columns than there are.
    #[error("{dataset}: no quasi-identifier is left beside the sensitive column")]
    NoQuasiIdentifier {
        /// The data set.
        dataset: String,
    },
    /// A workload that needs a file of reference times.
    #[error("the workload baseline needs reference times: --baseline FILE.jsonl")]
    NoBaseline,
    /// Nothing of the reference times is about the given data.
    #[error("{}: has no case for {}; it knows {}", path.display(), given.join(", "), known.join(", "))]
    NothingInCommon {
        /// The file.
        path: PathBuf,
        /// The data sets given.
        given: Vec<String>,
        /// The data sets of the file.
        known: Vec<String>,
    },
    /// A line of a file is not what it should be.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// A table cannot be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The table cannot be counted.
    #[error("{dataset}: {source}")]
    Table {
        /// The data set.
        dataset: String,
        /// Why.
        source: TableError,
    },
    /// The whole way from a file to a release failed.
    #[error("{dataset}: {source}")]
    Run {
        /// The data set.
        dataset: String,
        /// Why.
        source: Box<RunError>,
    },
    /// A database or cluster cannot be used.
    #[error("{engine}: {source}")]
    Engine {
        /// Its name.
        engine: &'static str,
        /// Why.
        source: EngineError,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody asked to stop.
    #[error("stopped on request; nothing was written")]
    Stopped,
    /// A bug.
    #[error("internal error: {0}")]
    Internal(String),
}

impl BenchError {
    pub(crate) fn internal(message: String) -> BenchError {
        BenchError::Internal(message)
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> BenchError {
        let path = path.to_owned();
        move |source| BenchError::Io { path: path.clone(), source }
    }
}

impl From<ReadError> for BenchError {
    fn from(error: ReadError) -> BenchError {
        BenchError::Scan(ScanError::Read(error))
    }
}

impl From<Problem> for BenchError {
    fn from(problem: Problem) -> BenchError {
        BenchError::Problems(problem.into())
    }
}

impl From<StudyError> for BenchError {
    fn from(error: StudyError) -> BenchError {
        match error {
            StudyError::Problems(problems) => BenchError::Problems(problems),
            StudyError::Scan(ScanError::Stopped) => BenchError::Stopped,
            StudyError::Scan(scan) => BenchError::Scan(scan),
            other => BenchError::internal(other.to_string()),
        }
    }
}
