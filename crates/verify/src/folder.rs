//! Where the files of a release are: in a directory, or in memory as they would be in one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::VerifyError;

/// A release that was not written into a directory.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// Name of the data file, and the file, which needs no name.
    pub data: (&'a str, &'a File),
    /// The other files that are handed out, by name.
    pub documents: &'a BTreeMap<String, Vec<u8>>,
    /// The files of the private folder, by name; `None` where only the others are there.
    pub private: Option<&'a BTreeMap<String, Vec<u8>>>,
}

/// Contents stay out of logs.
impl fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({}, {} documents)", self.data.0, self.documents.len())
    }
}

/// A folder of a release.
#[derive(Clone)]
pub(crate) enum Folder<'a> {
    /// On disk.
    Directory(PathBuf),
    /// What is handed out, in memory.
    Handed(Held<'a>),
    /// What stays, in memory.
    Private(&'a BTreeMap<String, Vec<u8>>),
}

impl Folder<'_> {
    /// The folder's name, for messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Folder::Directory(path) => path.display().to_string(),
            Folder::Handed(_) | Folder::Private(_) => "the release in memory".to_owned(),
        }
    }

    /// Opens the data file.
    pub(crate) fn open(&self, name: &str) -> Result<File, VerifyError> {
        match self {
            Folder::Directory(path) => open(path, name),
            Folder::Handed(held) if held.data.0 == name => reopened(held.data.1).map_err(io_error(name)),
            Folder::Handed(_) | Folder::Private(_) => Err(absent(name)),
        }
    }

    /// Reads a whole document.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, VerifyError> {
        let documents = match self {
            Folder::Directory(path) => {
                let mut bytes = Vec::new();
                open(path, name)?.read_to_end(&mut bytes).map_err(io_error(name))?;
                return Ok(bytes);
            }
            Folder::Handed(held) => held.documents,
            Folder::Private(documents) => documents,
        };
        documents.get(name).cloned().ok_or_else(|| absent(name))
    }

    /// The names of all files. In memory there are only plain ones, which have no metadata.
    pub(crate) fn entries(&self) -> Result<Vec<(OsString, Option<Metadata>)>, VerifyError> {
        let io_error = |source| VerifyError::Io { file: self.shown(), source };
        match self {
            Folder::Directory(path) => fs::read_dir(path)
                .map_err(io_error)?
                .map(|entry| {
                    let entry = entry?;
                    Ok((entry.file_name(), Some(entry.path().symlink_metadata()?)))
                })
                .collect::<io::Result<_>>()
                .map_err(io_error),
            Folder::Handed(held) => {
                let names = held.documents.keys().map(String::as_str).chain([held.data.0]);
                Ok(names.map(|name| (name.into(), None)).collect())
            }
            Folder::Private(documents) => Ok(documents.keys().map(|name| (name.into(), None)).collect()),
        }
    }
}

fn absent(name: &str) -> VerifyError {
    io_error(name)(io::ErrorKind::NotFound.into())
}

/// Opens a plain file. A link could lead anywhere, and opening a pipe would wait for ever.
fn open(dir: &Path, name: &str) -> Result<File, VerifyError> {
    let path = dir.join(name);
    let refused = || io_error(name)(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    let seen = fs::symlink_metadata(&path).map_err(io_error(name))?;
    if !seen.is_file() {
        return Err(refused());
    }
    let file = File::open(&path).map_err(io_error(name))?;
    let opened = file.metadata().map_err(io_error(name))?;
    // Whoever exchanged it in between is found out.
    if (opened.dev(), opened.ino()) != (seen.dev(), seen.ino()) {
        return Err(refused());
    }
    Ok(file)
}

/// A file without a name from its beginning, with a place of its own where the system can do that.
fn reopened(file: &File) -> io::Result<File> {
    match File::open(format!("/proc/self/fd/{}", file.as_raw_fd())) {
        Ok(own) => Ok(own),
        Err(_) => {
            let mut same = file.try_clone()?;
            same.rewind()?;
            Ok(same)
        }
    }
}

pub(crate) fn io_error(file: &str) -> impl Fn(io::Error) -> VerifyError {
    move |source| VerifyError::Io { file: file.to_owned(), source }
}
