//! A table of made-up patients with all that is needed to anonymize it.
//!
//! ```
//! let dir = tempfile::tempdir()?;
//! let files = paravent_pipeline::demo::write(dir.path())?;
//! let job = paravent_job::Job::load(&files.job).unwrap();
//! assert_eq!(job.attributes.len(), 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The bytes are always the same, on every machine. Files that are there already are left alone if they are these, and
//! never overwritten if they are not.

mod lists;
mod patients;
mod random;
#[cfg(test)]
mod tests;

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The files of the demo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoFiles {
    /// The job file.
    pub job: PathBuf,
    /// The table of patients.
    pub table: PathBuf,
    /// All files, these two included, in the order in which they were written.
    pub all: Vec<PathBuf>,
}

/// Why the demo could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// Files with other content are in the way. Nothing was written.
    #[error("{}: would be overwritten; choose another directory, or move these files away", shown(paths))]
    Exists {
        /// The files in the way.
        paths: Vec<PathBuf>,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes table, hierarchies, job and a page about them into the directory, which is made if need be.
///
/// # Errors
/// If a file with other content is in the way (then nothing is written), or a file cannot be written.
pub fn write(dir: &Path) -> Result<DemoFiles, DemoError> {
    write_rows(dir, patients::ROWS)
}

/// The same with a table of this number of rows, to measure how run time grows.
///
/// # Errors
/// As [`write()`].
pub fn write_rows(dir: &Path, rows: u32) -> Result<DemoFiles, DemoError> {
    let files = files(rows).map(|(name, text)| (dir.join(name), text));
    let mut missing = Vec::new();
    let mut in_the_way = Vec::new();
    for (path, text) in &files {
        match there(path, text)? {
            There::Nothing => missing.push((path, text)),
            There::Same => {}
            There::Other => in_the_way.push(path.clone()),
        }
    }
    if !in_the_way.is_empty() {
        return Err(DemoError::Exists { paths: in_the_way });
    }
    for (path, text) in missing {
        put(path, text)?;
    }
    let all: Vec<PathBuf> = files.into_iter().map(|(path, _)| path).collect();
    Ok(DemoFiles { job: dir.join(JOB), table: dir.join(TABLE), all })
}

const JOB: &str = "paravent.toml";
const TABLE: &str = "patients.csv";

/// Names and contents. The job comes last: when it is there, all is.
fn files(rows: u32) -> [(&'static str, String); 5] {
    [
        ("README.md", include_str!("files/README.md").to_owned()),
        (TABLE, patients::table(rows)),
        ("hierarchies/insurance.csv", include_str!("files/hierarchies/insurance.csv").to_owned()),
        ("hierarchies/diagnosis.csv", include_str!("files/hierarchies/diagnosis.csv").to_owned()),
        (JOB, include_str!("files/paravent.toml").to_owned()),
    ]
}

/// What is at a path.
enum There {
    Nothing,
    Same,
    Other,
}

fn there(path: &Path, text: &str) -> Result<There, DemoError> {
    match fs::metadata(path) {
        // Anything else than a small file need not be read to see that it is not ours.
        Ok(metadata) if !metadata.is_file() || metadata.len() != text.len() as u64 => {
            return Ok(There::Other);
        }
        Ok(_) => {}
        // A link to nowhere is in the way as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(if path.is_symlink() { There::Other } else { There::Nothing });
        }
        Err(source) => return Err(DemoError::Io { path: path.to_owned(), source }),
    }
    let found = fs::read(path).map_err(|source| DemoError::Io { path: path.to_owned(), source })?;
    Ok(if found == text.as_bytes() { There::Same } else { There::Other })
}

/// Writes beside the target and moves the file into place: half a file is never there, and nothing is overwritten.
fn put(path: &Path, text: &str) -> Result<(), DemoError> {
    let io_error = |source| DemoError::Io { path: path.to_owned(), source };
    let dir = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(dir).map_err(io_error)?;
    // The user's umask decides who may read; it is made-up data.
    let mode = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(mode).tempfile_in(dir).map_err(io_error)?;
    file.write_all(text.as_bytes()).map_err(io_error)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(DemoError::Exists { paths: vec![path.to_owned()] })
        }
        Err(error) => Err(io_error(error.error)),
    }
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
