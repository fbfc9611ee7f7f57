//! The file: locked while it grows, appended to, on disk before anything is granted.

use super::error::LedgerError;
use super::record::{Limit, Paid, Record};
use crate::log::{Line, Log, now};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A ledger that no one else can add to while this lock is held.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// Open and locked.
    file: File,
    /// Bytes of the file.
    length: u64,
    log: Log<Record>,
}

/// A ledger whose last line has no end, and what is there of it.
#[derive(Debug)]
pub struct Torn {
    locked: LedgerFile,
    rest: Vec<u8>,
}

impl LedgerFile {
    /// The ledger that belongs to a job file or a table: `paravent.toml` → `paravent.ledger.jsonl`.
    pub fn beside(file: &Path) -> PathBuf {
        let stem = file.file_stem().unwrap_or_default();
        let mut name = stem.to_os_string();
        name.push(".ledger.jsonl");
        file.with_file_name(name)
    }

    /// Reads a ledger, sound or not. Waits for whoever is writing, so whoever holds it looks at [`LedgerFile::log`] instead.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(path: &Path) -> Result<Log<Record>, LedgerError> {
        Ok(Log::read(&LedgerFile::bytes(path)?))
    }

    /// Reads a ledger as [`LedgerFile::lock`] does, for somebody who adds nothing to it; `None` where the first grant would start it.
    ///
    /// # Errors
    /// If it is broken, or cannot be read.
    pub fn look(path: &Path) -> Result<Option<Log<Record>>, LedgerError> {
        let bytes = match LedgerFile::bytes(path) {
            Ok(bytes) => bytes,
            Err(LedgerError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let log = Log::read(&bytes);
        sound(path, &bytes, &log).map(|()| Some(log))
    }

    fn bytes(path: &Path) -> Result<Vec<u8>, LedgerError> {
        let missing = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => LedgerError::Missing { path: path.to_owned() },
            _ => io_error(path)(source),
        };
        plain(path, &fs::metadata(path).map_err(missing)?)?;
        let file = File::open(path).map_err(missing)?;
        // A reader beside a writer sees whole lines. Without locks it may see half of one, and says so.
        let _ = flock(&file, FlockOperation::LockShared);
        content(path, &file)
    }

    /// Starts a ledger with a limit of its owner.
    ///
    /// # Errors
    /// If there is one already, or it cannot be written.
    pub fn start(path: &Path, limit: Limit) -> Result<(), LedgerError> {
        match create(path, Some(limit))? {
            true => Ok(()),
            false => Err(LedgerError::Exists { path: path.to_owned() }),
        }
    }

    /// Waits for the lock of the ledger; starts one if there is no file.
    ///
    /// # Errors
    /// If it is broken, or cannot be read, written or locked.
    pub fn lock(path: &Path) -> Result<LedgerFile, LedgerError> {
        let (locked, bytes) = opened(path)?;
        sound(path, &bytes, &locked.log).map(|()| locked)
    }

    /// Opens a ledger whose last line has no end, for the owner to say what the line counts as.
    ///
    /// # Errors
    /// If it is whole, or broken in another way, or cannot be written.
    pub fn torn(path: &Path) -> Result<Torn, LedgerError> {
        if !path.exists() {
            return Err(LedgerError::Missing { path: path.to_owned() });
        }
        let (locked, bytes) = opened(path)?;
        match &locked.log.broken {
            None => Err(LedgerError::NotTorn { path: path.to_owned() }),
            Some(_) if is_torn(&bytes, &locked.log) => {
                let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
                Ok(Torn { locked, rest: bytes[end..].to_vec() })
            }
            Some(broken) => Err(LedgerError::Broken { path: path.to_owned(), broken: broken.clone() }),
        }
    }

    /// What it holds.
    pub fn log(&self) -> &Log<Record> {
        &self.log
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line, which is on disk when this returns, and gives it back as it is written.
    ///
    /// # Errors
    /// If the file cannot be written. The line may then be there all the same: it counts as spent, and nothing was granted for it.
    pub fn append(&mut self, record: Record) -> Result<String, LedgerError> {
        let line = Line {
            sequence: self.log.lines.len() as u64,
            time: now(),
            record,
            previous: self.log.head.clone(),
        };
        let (text, hash) = line.sealed();
        let bytes = format!("{text}\n").into_bytes();
        if let Err(source) = self.file.write_all(&bytes) {
            // A full disk takes part of a line. Nothing was granted for it, and what was there before stays.
            let _ = self.file.set_len(self.length).and_then(|()| self.file.sync_all());
            return Err(io_error(&self.path)(source));
        }
        self.length += bytes.len() as u64;
        self.file.sync_all().map_err(io_error(&self.path))?;
        self.log.lines.push(line);
        self.log.head = hash;
        Ok(text)
    }
}

impl Torn {
    /// What is there of the line.
    pub fn found(&self) -> String {
        String::from_utf8_lossy(&self.rest).into_owned()
    }

    /// Ends the line and writes down what it counts as. The bytes that were found are kept, inside the new line.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn mend(mut self, counted: Paid) -> Result<(), LedgerError> {
        let found = self.found();
        let start = self.locked.length - self.rest.len() as u64;
        let record = Record::Torn { found, counted };
        // The new line takes the place of the rest, in one file that replaces the old one: at every moment there is the torn line or the mended one.
        let line = Line {
            sequence: self.locked.log.lines.len() as u64,
            time: now(),
            record,
            previous: std::mem::take(&mut self.locked.log.head),
        };
        let path = &self.locked.path;
        let whole = content(path, &self.locked.file)?;
        let mut bytes = whole[..usize::try_from(start).unwrap_or(0)].to_vec();
        bytes.extend_from_slice(line.sealed().0.as_bytes());
        bytes.push(b'\n');
        let folder = folder_of(path);
        let write = || -> io::Result<()> {
            let mut next = tempfile::Builder::new().prefix(".paravent-ledger-").tempfile_in(folder)?;
            next.write_all(&bytes)?;
            next.as_file().sync_all()?;
            next.persist(path).map_err(|error| error.error)?;
            File::open(folder)?.sync_all()
        };
        write().map_err(io_error(path))
    }
}

/// The file, open, locked and read; started where there is none.
fn opened(path: &Path) -> Result<(LedgerFile, Vec<u8>), LedgerError> {
    loop {
        let file = match OpenOptions::new().read(true).append(true).custom_flags(NOT_BLOCKING).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(path, None)?;
                continue;
            }
            Err(source) => return Err(io_error(path)(source)),
        };
        let opened = file.metadata().map_err(io_error(path))?;
        plain(path, &opened)?;
        flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| LedgerError::NoLock { path: path.to_owned(), source: error.into() })?;
        // While this waited, the file may have been replaced: the lock would be on one that nobody reads any more.
        match fs::metadata(path) {
            Ok(now) if (now.dev(), now.ino()) == (opened.dev(), opened.ino()) => {}
            _ => continue,
        }
        let bytes = content(path, &file)?;
        let log = Log::read(&bytes);
        return Ok((LedgerFile { path: path.to_owned(), file, length: bytes.len() as u64, log }, bytes));
    }
}

/// Opening a pipe must not wait for a writer at its other end.
const NOT_BLOCKING: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// A file with its first line, in place at once and on disk; false where there is one.
fn create(path: &Path, limit: Option<Limit>) -> Result<bool, LedgerError> {
    let record = Record::Ledger { format: 1, paravent: env!("CARGO_PKG_VERSION").to_owned(), limit };
    let line = Line { sequence: 0, time: now(), record, previous: String::new() };
    let folder = folder_of(path);
    let write = || -> io::Result<bool> {
        // Readable by its owner alone, as the register is.
        let mut next = tempfile::Builder::new().prefix(".paravent-ledger-").tempfile_in(folder)?;
        next.write_all(line.sealed().0.as_bytes())?;
        next.write_all(b"\n")?;
        next.as_file().sync_all()?;
        match next.persist_noclobber(path) {
            Ok(_) => File::open(folder)?.sync_all().map(|()| true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    write().map_err(io_error(path))
}

/// Refuses a ledger that cannot be continued.
fn sound(path: &Path, bytes: &[u8], log: &Log<Record>) -> Result<(), LedgerError> {
    match &log.broken {
        None => Ok(()),
        Some(broken) if is_torn(bytes, log) => {
            Err(LedgerError::Torn { path: path.to_owned(), line: broken.line })
        }
        Some(broken) => Err(LedgerError::Broken { path: path.to_owned(), broken: broken.clone() }),
    }
}

/// Whether the only fault is that the last line has no end.
fn is_torn(bytes: &[u8], log: &Log<Record>) -> bool {
    let ended = bytes.iter().filter(|&&byte| byte == b'\n').count();
    log.broken.is_some() && bytes.last() != Some(&b'\n') && ended == log.lines.len() && ended > 0
}

fn content(path: &Path, mut file: &File) -> Result<Vec<u8>, LedgerError> {
    use std::io::Seek;
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(io_error(path))?;
    Ok(bytes)
}

fn plain(path: &Path, found: &fs::Metadata) -> Result<(), LedgerError> {
    match found.is_file() {
        true => Ok(()),
        false => Err(LedgerError::NotAFile { path: path.to_owned() }),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> LedgerError + '_ {
    |source| LedgerError::Io { path: path.to_owned(), source }
}
