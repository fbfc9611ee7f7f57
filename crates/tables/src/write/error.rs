//! What can go wrong while writing.

use std::io;
use std::path::PathBuf;

/// Why a release cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum WriteError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {reason}", path.display())]
    Options { path: PathBuf, reason: &'static str },
    #[error(
        "{}: column `{column}` has characters that windows-1252 lacks; write encoding = \"utf-8\" under [output]",
        path.display()
    )]
    Unencodable { path: PathBuf, column: String },
    #[error(
        "{}: column `{column}` has labels that would be read as values; write them another way, or leave out format, \
         decimal and grouping",
        path.display()
    )]
    Ambiguous { path: PathBuf, column: String },
    #[error("{}: the columnar writer failed", path.display())]
    Columnar { path: PathBuf },

    #[error(
        "{}: the release is in its place, but whether the disk has it for good is unknown: {source}",
        path.display()
    )]
    Unsettled { path: PathBuf, source: io::Error },

    #[error("{} cannot be a release: it has no name or no parent directory", path.display())]
    NoPlace { path: PathBuf },
    #[error("{} exists already; --force replaces a release and its private folder", path.display())]
    Exists { path: PathBuf },
    #[error("{} is a file; a release is a directory", path.display())]
    NotADirectory { path: PathBuf },
    #[error("{} is not a release, or holds files that are not part of one, and is left alone", path.display())]
    NotARelease { path: PathBuf },
}
