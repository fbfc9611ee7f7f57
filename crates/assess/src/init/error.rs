//! Why no job can be proposed.

use std::path::PathBuf;

use paravent_tables::read::ReadError;
use paravent_tables::watch::Watch;

/// Why no job can be proposed for a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A header without rows says nothing about types and hierarchies.
    #[error("{} has no rows, so nothing can be proposed for it", path.display())]
    NoRows {
        /// The table.
        path: PathBuf,
    },
    /// The names of the columns are somebody's cells.
    #[error("{}: the first row reads like data, not like names of columns; write names above it", path.display())]
    NoHeader {
        /// The table.
        path: PathBuf,
    },
    /// Every column would be dropped.
    #[error(
        "{}: every column seems to identify a person alone, so nothing would be left; \
         write a job file by hand if that is wrong",
        path.display()
    )]
    NothingToGeneralize {
        /// The table.
        path: PathBuf,
    },
    /// Somebody asked to stop.
    #[error("stopped on request; nothing was written")]
    Stopped,
}

/// Tells how many rows were read, and listens.
pub(super) fn go_on(watch: &dyn Watch, rows: u64) -> Result<(), InitError> {
    watch.advance(rows, None);
    if watch.stop() { Err(InitError::Stopped) } else { Ok(()) }
}
