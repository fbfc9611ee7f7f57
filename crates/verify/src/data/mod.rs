//! The released rows, read from the file and dictionary-encoded: one small number per cell.

mod arrow;
mod codes;
mod columnar;
mod counted;
mod csv;
mod intern;
mod parquet;
mod residue;
mod workbook;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

use sha2::{Digest, Sha256};

pub use counted::CountedRows;
pub(crate) use counted::wanted;
pub(crate) use intern::Column;
use intern::Interner;

use crate::VerifyError;
use crate::folder::{Folder, io_error};
use crate::manifest::{Format, Output};

/// The content of the data file.
pub(crate) struct Data {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    pub(crate) sha256: String,
    /// Whether the file has other bytes than its rows are written with; looked at where that can be told.
    pub(crate) differs: bool,
    /// Rows of stars that were taken off the end.
    pub(crate) stars: u64,
}

impl Data {
    /// Takes up to `wanted` rows off the end that show a star in every cell: they stand for suppressed rows and tell nothing.
    pub(crate) fn take_stars(&mut self, wanted: u64) {
        let Some(first) = self.columns.first() else { return };
        let mut repeats = first.repeats.to_vec();
        let is_star =
            |at: usize| self.columns.iter().all(|column| column.text(column.codes.at(at)) == Some("*"));
        let mut left = wanted;
        while let Some(stretch) = repeats.pop() {
            let taken = if is_star(repeats.len()) { left.min(u64::from(stretch)) } else { 0 };
            left -= taken;
            if taken < u64::from(stretch) {
                repeats.push(stretch - taken as u32);
                break;
            }
        }
        self.stars = wanted - left;
        if self.stars > 0 {
            let repeats: Arc<[u32]> = repeats.into();
            self.columns.iter_mut().for_each(|column| column.cut(&repeats));
            self.rows = self.rows.saturating_sub(self.stars as usize);
        }
    }

    /// The first column of that name.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Reads and hashes a data file. The file stays open, so that whoever looks again sees the same.
pub(crate) fn read_output(dir: &Folder<'_>, output: &Output) -> Result<(Data, File), VerifyError> {
    let file = dir.open(&output.file)?;
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
            Format::Table => Err(VerifyError::Elsewhere { table: output.file.clone() }),
            Format::Xlsx(_) => workbook::read(file, &output.file),
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
    Ok((Data { columns, rows, sha256, differs: false, stars: 0 }, same))
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
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
