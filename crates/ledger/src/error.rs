//! Why a ledger cannot be used.

use crate::log::Broken;
use std::io;
use std::path::PathBuf;

/// Why a ledger cannot be read or continued. Nothing was granted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file or its folder cannot be read or written.
    #[error(
        "{}: the ledger of noisy answers cannot be kept, so nothing was drawn: {source}. --ledger FILE names another place",
        path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The file system has no locks, so two processes could spend the same budget.
    #[error(
        "{}: the ledger of noisy answers cannot be locked, so nothing was drawn: {source}. Keep it on a disk with locks: --ledger FILE",
        path.display()
    )]
    NoLock {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{}: a ledger is a plain file, and this is none", path.display())]
    NotAFile {
        /// The place.
        path: PathBuf,
    },
    /// The chain is broken; nothing is added to it.
    #[error("{}:{}: the ledger of noisy answers is not as it was written, so nothing more is granted: {}", path.display(), broken.line, broken.what)]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first line that is not as it was written.
        broken: Broken,
    },
    /// The last line has no end.
    #[error(
        "{}:{line}: the last line of the ledger has no end: a run was cut off while it wrote, or somebody cut the file. Nothing more is granted until the owner says what the line counts as: paravent ledger mend",
        path.display()
    )]
    Torn {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Nothing to mend.
    #[error("{}: the last line of the ledger is whole; there is nothing to mend", path.display())]
    NotTorn {
        /// The file.
        path: PathBuf,
    },
    /// There is one already.
    #[error("{}: this ledger was started already; its limit cannot be changed, and nothing in it can be taken back", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is none.
    #[error("{}: no ledger is there; the first noisy answer starts one", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
}
