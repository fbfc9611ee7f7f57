//! The folder of a policy: lock, key, ledger, earlier answers, and whom exact answers were about.
//!
//! One process at a time holds it. An earlier answer is found by a keyed digest of the canonical question, the versions of data and policy, and the
//! group of the recipient: the same question has the same answer and costs nothing. What is kept are answers as they were given, with their noise.

mod consent;
mod look;
pub mod people;
pub mod spoken;

pub use look::{Kept, look};

use crate::refusal::{AskError, Refusal};
use paravent_algebra::error::AlgebraError;
use paravent_ledger::log::now;
use paravent_ledger::{BookError, LedgerError, LedgerFile};
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder, while nobody else can use it.
pub struct State {
    folder: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
    key: [u8; 32],
}

/// The key is a secret.
impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl State {
    /// Waits for the folder; makes it, readable by its owner alone, where there is none.
    ///
    /// # Errors
    /// If it cannot be made, locked or read.
    pub fn open(folder: &Path) -> Result<State, AskError> {
        let failed = |source: io::Error| AskError::State { path: folder.to_owned(), source };
        for part in ["cache", "people"] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder.join(part)).map_err(failed)?;
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(folder.join("lock"))
            .map_err(failed)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let key = key(folder).map_err(failed)?;
        Ok(State { folder: folder.to_owned(), _lock: lock, key })
    }

    /// What noisy answers are paid from.
    pub fn ledger(&self) -> PathBuf {
        self.folder.join("ledger.jsonl")
    }

    /// How many answers a group has had today, by the lines of the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn answers_today(&self, group: &str) -> Result<u32, AskError> {
        let log = match LedgerFile::read(&self.ledger()) {
            Ok(log) => log,
            Err(LedgerError::Missing { .. }) => return Ok(0),
            Err(error) => return Err(AlgebraError::Ledger(Box::new(BookError::File(error))).into()),
        };
        let day = today();
        let own = log.lines.iter().filter(|line| line.time.starts_with(&day));
        let own = own.filter(|line| line.record.paid().is_some_and(|paid| paid.recipient == group));
        Ok(u32::try_from(own.count()).unwrap_or(u32::MAX))
    }

    /// The name of a question: nobody without the key can tell which it is.
    pub fn name(&self, parts: &[&str]) -> String {
        hex::encode(self.digest(parts))
    }

    fn digest(&self, parts: &[&str]) -> [u8; 32] {
        let mut inner = Sha256::new();
        inner.update(self.key);
        for part in parts {
            inner.update((part.len() as u64).to_le_bytes());
            inner.update(part.as_bytes());
        }
        let inner = inner.finalize();
        let mut outer = Sha256::new();
        outer.update(self.key);
        outer.update(inner);
        outer.finalize().into()
    }

    /// An answer that was given before.
    ///
    /// # Errors
    /// If there is one that cannot be read: then nothing is drawn in its place.
    pub fn earlier(&self, name: &str) -> Result<Option<Value>, AskError> {
        let path = self.place(name);
        match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(answer) => Ok(Some(answer)),
                Err(_) => Err(AskError::State {
                    path,
                    source: io::Error::other("an earlier answer is not as it was written"),
                }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(AskError::State { path, source }),
        }
    }

    /// Keeps an answer. It is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written; then it must not be given.
    pub fn keep(&self, name: &str, answer: &Value) -> Result<(), AskError> {
        let path = self.place(name);
        self.replace(&path, answer.to_string().as_bytes()).map_err(|source| AskError::State { path, source })
    }

    /// A keyed number of 64 bits: of a person, or of a row.
    pub fn number(&self, parts: &[&str]) -> u64 {
        self.digest(parts).iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Writes a file beside its place and puts it there, so that at every moment there is the old one or the new one.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join("cache").join(format!("{name}.json"))
    }
}

/// The day in UTC, as the times of logs begin.
pub fn today() -> String {
    now().get(..10).unwrap_or_default().to_owned()
}

/// The key of the folder; drawn once.
fn key(folder: &Path) -> io::Result<[u8; 32]> {
    let path = folder.join("key");
    let mut key = [0; 32];
    match File::open(&path) {
        Ok(mut file) => file.read_exact(&mut key)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            getrandom::fill(&mut key).map_err(|_| io::Error::other("the system gives no random numbers"))?;
            let mut file = tempfile::Builder::new().prefix(".key-").tempfile_in(folder)?;
            file.write_all(&key)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            File::open(folder)?.sync_all()?;
        }
        Err(error) => return Err(error),
    }
    Ok(key)
}

/// More answers than the policy gives in a day.
pub fn too_many(per_day: u32) -> Refusal {
    Refusal::new(
        format!("the policy gives {per_day} answers a day, and there were as many"),
        "Ask tomorrow; answers that were given before cost nothing",
    )
}

/// The lines of a file, none where there is no file. A last line without an end was never acted on, and is taken away.
fn whole_lines(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    if whole < bytes.len() {
        bytes.truncate(whole);
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(whole as u64)?;
        file.sync_all()?;
    }
    Ok(bytes)
}
