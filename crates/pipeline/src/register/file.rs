//! The register on disk: locked while it grows, replaced in one step.

use super::chain::Chain;
use super::error::RegisterError;
use super::line::{Line, Record};
use super::sketch::Salt;
use crate::read::civil;
use rustix::fs::{Access, FlockOperation, access, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the register in the job's folder.
pub const FILE_NAME: &str = "paravent-register.jsonl";

/// Where the next version of the file grows. One that a killed run left is overwritten by the next.
const NEXT_NAME: &str = ".paravent-register.jsonl.next";

/// A register that nobody else can add to while this is held.
#[derive(Debug)]
pub struct Register {
    folder: PathBuf,
    bytes: Vec<u8>,
    chain: Chain,
    salt: Salt,
    /// The folder, open and locked.
    _lock: File,
}

impl Register {
    /// The file in a folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE_NAME)
    }

    /// Reads the register of a folder, sound or not.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(folder: &Path) -> Result<Chain, RegisterError> {
        let path = Register::path(folder);
        match fs::read(&path) {
            Ok(bytes) => Ok(Chain::read(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(RegisterError::Missing { path }),
            Err(source) => Err(RegisterError::Io { path, source }),
        }
    }

    /// Whether a release may be added, without waiting for others: to be asked before the work is done.
    ///
    /// # Errors
    /// If the register is broken, or the folder cannot be read or written.
    pub fn check(folder: &Path) -> Result<(), RegisterError> {
        access(folder, Access::WRITE_OK)
            .map_err(|error| RegisterError::Io { path: Register::path(folder), source: error.into() })?;
        match Register::read(folder) {
            Ok(chain) => sound(folder, &chain),
            Err(RegisterError::Missing { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Waits until nobody else adds to the register of a folder, and starts one in memory if there is none.
    ///
    /// # Errors
    /// If it is broken, or cannot be read or locked.
    pub fn lock(folder: &Path) -> Result<Register, RegisterError> {
        let path = Register::path(folder);
        let at = |source| RegisterError::Io { path: path.clone(), source };
        let lock = File::open(folder).map_err(at)?;
        // Some network file systems know no locks: two runs at the same moment could then lose a line, which the release shows.
        let _ = flock(&lock, FlockOperation::LockExclusive);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(at(source)),
        };
        if bytes.is_empty() && !path.exists() {
            let salt = Salt::random().map_err(at)?;
            let record = Record::Register { format: 1, paravent: env!("CARGO_PKG_VERSION").to_owned(), salt };
            let line = Line { sequence: 0, time: now(), record, previous: String::new() };
            bytes = line.sealed().0.into_bytes();
            bytes.push(b'\n');
        }
        let chain = Chain::read(&bytes);
        sound(folder, &chain)?;
        let salt = chain.salt().cloned().unwrap_or_default();
        Ok(Register { folder: folder.to_owned(), bytes, chain, salt, _lock: lock })
    }

    /// What it holds.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The salt of its sketches.
    pub fn salt(&self) -> &Salt {
        &self.salt
    }

    /// The number of the next line.
    pub fn next(&self) -> u64 {
        self.chain.lines.len() as u64
    }

    /// Adds a line. It is on disk when this returns; killed at any moment, the file has it as a whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written; it is then as it was.
    pub fn append(&mut self, record: Record) -> Result<u64, RegisterError> {
        let sequence = self.next();
        let line = Line { sequence, time: now(), record, previous: self.chain.head.clone() };
        let (text, hash) = line.sealed();
        let mut bytes = self.bytes.clone();
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        self.replace(&bytes)
            .map_err(|source| RegisterError::Io { path: Register::path(&self.folder), source })?;
        self.bytes = bytes;
        self.chain.lines.push(line);
        self.chain.head = hash;
        Ok(sequence)
    }

    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let (path, next) = (Register::path(&self.folder), self.folder.join(NEXT_NAME));
        let _ = fs::remove_file(&next);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?;
        if let Ok(before) = fs::metadata(&path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&next, &path)?;
        File::open(&self.folder)?.sync_all()
    }
}

fn sound(folder: &Path, chain: &Chain) -> Result<(), RegisterError> {
    match &chain.broken {
        None => Ok(()),
        Some(broken) => Err(RegisterError::Broken { path: Register::path(folder), broken: broken.clone() }),
    }
}

/// `2024-03-09T14:05:00Z`
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut text = Vec::new();
    match civil::write_datetime(i64::try_from(seconds).unwrap_or(0), 1, &mut text) {
        Ok(()) => text.push(b'Z'),
        Err(_) => text.clear(),
    }
    String::from_utf8(text).unwrap_or_default()
}
