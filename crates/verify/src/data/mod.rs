//! The released rows, read from the file and dictionary-encoded: one small number per cell.

mod arrow;
mod codes;
mod columnar;
mod csv;
mod intern;
mod parquet;
mod residue;

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::thread;

use sha2::{Digest, Sha256};

pub(crate) use intern::Column;
use intern::Interner;

use crate::VerifyError;
use crate::manifest::{Format, Output};

/// The content of the data file.
pub(crate) struct Data {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    pub(crate) sha256: String,
    /// Whether the file has other bytes than its rows are written with; looked at where that can be told.
    pub(crate) differs: bool,
}

impl Data {
    /// The first column of that name.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Reads and hashes a data file. The file stays open, so that whoever looks again sees the same.
pub(crate) fn read_output(dir: &Path, output: &Output) -> Result<(Data, File), VerifyError> {
    let file = open(dir, &output.file)?;
    // The same open file, so that what is hashed is what is read, whoever replaces it meanwhile.
    let same = file.try_clone().map_err(io_error(&output.file))?;
    let (sha256, parsed) = thread::scope(|scope| {
        // Where the system makes no more threads, one after the other.
        let sha256 = thread::Builder::new().spawn_scoped(scope, || digest(&same)).ok();
        // Third-party readers have panicked on hostile bytes; nothing of ours is half-done when they do.
        let parsed = catch_unwind(AssertUnwindSafe(|| match &output.format {
            Format::Csv(dialect) => csv::read(file, &output.file, dialect),
            Format::Parquet => parquet::read(file, &output.file),
            Format::Arrow => arrow::read(file, &output.file),
        }));
        let sha256 = match sha256 {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => digest(&same),
        };
        (sha256, parsed)
    });
    let sha256 = sha256.map_err(io_error(&output.file))?;
    let columns = parsed.unwrap_or_else(|_| {
        Err(VerifyError::Garbled {
            file: output.file.clone(),
            format: output.format.name(),
            problem: "the reader gave up",
        })
    })?;
    let rows = columns.first().map_or(0, |column| column.rows_before(column.codes.len()));
    Ok((Data { columns, rows, sha256, differs: false }, same))
}

/// Reads a whole document of the release.
pub(crate) fn read_document(dir: &Path, name: &str) -> Result<Vec<u8>, VerifyError> {
    let mut bytes = Vec::new();
    open(dir, name)?.read_to_end(&mut bytes).map_err(io_error(name))?;
    Ok(bytes)
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Opens a plain file. A link could lead anywhere, and opening a pipe would wait for ever.
fn open(dir: &Path, name: &str) -> Result<File, VerifyError> {
    let path = dir.join(name);
    let refused = || io_error(name)(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    let seen = std::fs::symlink_metadata(&path).map_err(io_error(name))?;
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

/// Reads by place, so that nobody else's reading is disturbed.
fn digest(file: &File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    let mut place = 0;
    loop {
        match file.read_at(&mut buffer, place) {
            Ok(0) => return Ok(hexadecimal(&hasher.finalize())),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                place += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn io_error(file: &str) -> impl Fn(io::Error) -> VerifyError {
    move |source| VerifyError::Io { file: file.to_owned(), source }
}
