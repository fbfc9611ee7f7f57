//! Why a register cannot be used.

use paravent_ledger::log::Broken;
use std::io;
use std::path::PathBuf;

/// Why a register cannot be read or continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The file or its folder cannot be read or written.
    #[error("{}: the register of releases cannot be kept: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The chain is broken; nothing is added to it.
    #[error("{}:{}: the register of releases is broken: {}", path.display(), broken.line, broken.what)]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first line that is not as it was written.
        broken: Broken,
    },
    /// It is not there, though releases say that they are in it.
    #[error("{}: the register of releases was removed: {release} is line {line} of it", path.display())]
    Lost {
        /// Where it was.
        path: PathBuf,
        /// A release that says so.
        release: String,
        /// Its line, from 1.
        line: u64,
    },
    /// The files of a release are not those that were registered: what it tells together with another could not be found.
    #[error("{}:{line}: release {sequence} ({release}) is not as it was registered: {detail}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The line of the release, from 1.
        line: usize,
        /// The number of the release.
        sequence: u64,
        /// Its directory.
        release: String,
        /// What differs.
        detail: String,
    },
    /// Something without a line would take the place of a registered release.
    #[error("{}: is release {sequence} of the register {}, and what would replace it gets no line", release.display(), path.display())]
    WouldVanish {
        /// The file.
        path: PathBuf,
        /// The number of the release.
        sequence: u64,
        /// Its directory.
        release: PathBuf,
    },
    /// No such release.
    #[error("{}: the register has no release {sequence} that could be withdrawn", path.display())]
    NoRelease {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        sequence: u64,
    },
    /// There is none.
    #[error("{}: no register of releases is there; `paravent anonymize` starts one", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
}
