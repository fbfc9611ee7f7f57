//! The register on disk: locked while it grows, replaced in one step.

use super::chain::{Chain, ReleaseLog};
use super::error::RegisterError;
use super::line::{Line, Record, ReleaseRecord};
use super::sketch::Salt;
use super::state::Finding;
use super::{state, witness};
use paravent_ledger::log::now;
use paravent_tables::write::{Replace, Staging, WriteError};
use rustix::fs::{Access, FlockOperation, access, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Name of the register in the job's folder.
pub const FILE_NAME: &str = "paravent-register.jsonl";

/// A register that no one else can add to while this lock is held.
#[derive(Debug)]
pub struct Register {
    file: PathBuf,
    bytes: Vec<u8>,
    chain: Chain,
    salt: Salt,
    /// The folder, open and locked.
    _lock: File,
}

impl Register {
    /// The file of a register that is named by its folder, or by itself. A link is followed: a register that several folders share has one chain.
    pub fn path(place: &Path) -> PathBuf {
        followed(if place.is_dir() { place.join(FILE_NAME) } else { place.to_owned() })
    }

    /// Where a register's file is: its releases are seen from here.
    pub fn folder(place: &Path) -> PathBuf {
        match Register::path(place).parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    /// Reads a register, sound or not.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(place: &Path) -> Result<Chain, RegisterError> {
        let path = Register::path(place);
        let lost = match fs::read(&path) {
            Ok(bytes) => return Ok(Chain::read(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => witness::of_lost(&path, None),
            Err(source) => return Err(RegisterError::Io { path, source }),
        };
        match lost {
            // Another run may have started it just now, and its release was heard.
            Some(_) if path.exists() => Register::read(place),
            Some(lost) => Err(lost),
            None => Err(RegisterError::Missing { path }),
        }
    }

    /// Whether a release may be added at `target`, without waiting for others: to be asked before the work is done.
    ///
    /// # Errors
    /// If the register is broken, a release says that it is in a line that is not there, files of a registered release were changed or
    /// exchanged, or the folder cannot be read or written.
    pub fn check(place: &Path, target: &Path) -> Result<(), RegisterError> {
        let path = Register::path(place);
        access(Register::folder(place), Access::WRITE_OK)
            .map_err(|error| RegisterError::Io { path: path.clone(), source: error.into() })?;
        Register::look(place, target)
    }

    /// Whether a release may be put at `target`: with a line in the register at `place`, or without one. What a register knows may be replaced only by
    /// what gets a line, too: else the register would speak of files that are not there any more.
    ///
    /// # Errors
    /// As [`check`](Self::check); and without a line, if a register has the release that is at `target`.
    pub fn admit(place: Option<&Path>, target: &Path) -> Result<(), RegisterError> {
        match (place, witness::registered_at(target)) {
            (Some(place), _) => Register::check(place, target),
            (None, Some((path, sequence))) => {
                Err(RegisterError::WouldVanish { path, sequence, release: target.to_owned() })
            }
            (None, None) => Ok(()),
        }
    }

    /// As [`check`](Self::check), for readers: the folder need not be writable.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn look(place: &Path, target: &Path) -> Result<(), RegisterError> {
        let path = Register::path(place);
        let look = || match Register::read(place) {
            Ok(chain) => sound(&path, &chain, Some(target)).and_then(|()| unchanged(&path, &chain)),
            Err(RegisterError::Missing { .. }) => witness::of_lost(&path, Some(target)).map_or(Ok(()), Err),
            Err(error) => Err(error),
        };
        // Another run may have added its line between the first look at the register and at its release.
        look().or_else(|_| look())
    }

    /// Reads a register that releases are held against.
    ///
    /// # Errors
    /// If there is none, it cannot be read, it is broken, or files of its releases were changed.
    pub(crate) fn sound(file: &Path) -> Result<Chain, RegisterError> {
        let chain = Register::read(file)?;
        sound(file, &chain, None).and_then(|()| unchanged(file, &chain))?;
        Ok(chain)
    }

    /// Waits for the lock of the register, and starts an empty one in memory if there is no file.
    ///
    /// # Errors
    /// If it is broken or was removed, or cannot be read or locked.
    pub fn lock(place: &Path) -> Result<Register, RegisterError> {
        Register::lock_for(place, None)
    }

    /// The same for a release at `target`, which is asked as well.
    pub(crate) fn lock_for(place: &Path, target: Option<&Path>) -> Result<Register, RegisterError> {
        let path = Register::path(place);
        let at = |source| RegisterError::Io { path: path.clone(), source };
        let lock = File::open(Register::folder(place)).map_err(at)?;
        // Some network file systems know no locks: two runs at the same moment could then lose a line, which the release shows.
        let _ = flock(&lock, FlockOperation::LockExclusive);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(at(source)),
        };
        if bytes.is_empty() && !path.exists() {
            if let Some(lost) = witness::of_lost(&path, target) {
                return Err(lost);
            }
            let salt = Salt::random().map_err(at)?;
            let record = Record::Register { format: 1, paravent: env!("CARGO_PKG_VERSION").to_owned(), salt };
            let line = Line { sequence: 0, time: now(), record, previous: String::new() };
            bytes = line.sealed().0.into_bytes();
            bytes.push(b'\n');
        }
        let chain = Chain::read(&bytes);
        sound(&path, &chain, target)?;
        let salt = chain.salt().cloned().unwrap_or_default();
        let mut register = Register { file: path, bytes, chain, salt, _lock: lock };
        register.settle();
        Ok(register)
    }

    /// What it holds.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Its file.
    pub fn file(&self) -> &Path {
        &self.file
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
    /// If the file cannot be written.
    pub fn append(&mut self, record: Record) -> Result<u64, RegisterError> {
        let sequence = self.add(record);
        self.replace()?;
        Ok(sequence)
    }

    /// Says that a release was never handed out, or was taken back.
    ///
    /// # Errors
    /// If there is no such release, or the register cannot be written.
    pub fn withdraw(place: &Path, sequence: u64, reason: Option<String>) -> Result<(), RegisterError> {
        if !Register::path(place).exists() {
            return Register::read(place).map(drop);
        }
        let mut register = Register::lock(place)?;
        if !register.chain.releases().iter().any(|(line, _)| line.sequence == sequence) {
            return Err(RegisterError::NoRelease { path: register.file, sequence });
        }
        register.append(Record::Withdrawal { of: sequence, reason }).map(drop)
    }

    /// Writes the line of a release and lets the release appear. The line says whether it has: takes it back where it has not, and leaves it
    /// open where nobody knows.
    pub(crate) fn publish<E>(
        mut self,
        mut record: ReleaseRecord,
        staging: Staging,
        replace: Replace,
    ) -> Result<(), E>
    where
        E: From<WriteError> + From<RegisterError>,
    {
        record.appeared = Some(false);
        let sequence = self.append(Record::Release(Box::new(record)))?;
        match staging.publish(replace) {
            Ok(()) => {
                self.confirm();
                // The line is there and so is the release; if only this cannot be noted, the next run does it.
                let _ = self.replace();
                Ok(())
            }
            Err(error @ WriteError::Unsettled { .. }) => Err(error.into()),
            Err(error) => {
                // If that fails as well, the next run does it.
                let _ = self.append(Record::Withdrawal { of: sequence, reason: None });
                Err(error.into())
            }
        }
    }

    /// A run that ended before it could say whether its release appeared left its line as the last one: the files tell. What follows from them
    /// is written with the next line.
    fn settle(&mut self) {
        let Some(Line { sequence, record: Record::Release(release), .. }) = self.chain.lines.last() else {
            return;
        };
        let (of, place) = (*sequence, Register::folder(&self.file).join(&release.release));
        // Where even the folder around it is not to be seen, nothing follows.
        if release.appeared != Some(false) || !place.parent().is_some_and(Path::is_dir) {
            return;
        }
        match state::is_in_place(&place, release) {
            true => self.confirm(),
            false => {
                self.add(Record::Withdrawal { of, reason: None });
            }
        }
    }

    /// Notes in the last line that its release has appeared.
    fn confirm(&mut self) {
        let Some(mut line) = self.chain.lines.pop() else { return };
        if let Record::Release(release) = &mut line.record {
            release.appeared = Some(true);
        }
        let end = self.bytes.len().saturating_sub(1);
        let start =
            self.bytes[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        self.bytes.truncate(start);
        self.push(line);
    }

    fn add(&mut self, record: Record) -> u64 {
        let sequence = self.next();
        self.push(Line { sequence, time: now(), record, previous: self.chain.head.clone() });
        sequence
    }

    fn push(&mut self, line: Line) {
        let (text, hash) = line.sealed();
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(b'\n');
        self.chain.lines.push(line);
        self.chain.head = hash;
    }

    fn replace(&self) -> Result<(), RegisterError> {
        self.write().map_err(|source| RegisterError::Io { path: self.file.clone(), source })
    }

    fn write(&self) -> io::Result<()> {
        // Where the next version of the file grows. One that a killed run left is overwritten by the next.
        let name = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let next = self.file.with_file_name(format!(".{name}.next"));
        let _ = fs::remove_file(&next);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?;
        if let Ok(before) = fs::metadata(&self.file) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(&self.bytes)?;
        file.sync_all()?;
        fs::rename(&next, &self.file)?;
        File::open(Register::folder(&self.file))?.sync_all()
    }
}

/// Links that are followed, one after the other.
const MOST_LINKS: usize = 40;

/// The file that a link leads to, whether it is there or not.
fn followed(mut path: PathBuf) -> PathBuf {
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path
}

fn sound(path: &Path, chain: &Chain, target: Option<&Path>) -> Result<(), RegisterError> {
    let broken = chain.broken.clone().or_else(|| witness::missing(path, chain, target).into_iter().next());
    match broken {
        None => Ok(()),
        Some(broken) => Err(RegisterError::Broken { path: path.to_owned(), broken }),
    }
}

/// The releases that the new one is held against are those that were handed out.
fn unchanged(path: &Path, chain: &Chain) -> Result<(), RegisterError> {
    match state::wrong(&Register::folder(path), chain).into_iter().next() {
        None => Ok(()),
        Some(Finding { line, sequence, release, detail, .. }) => {
            Err(RegisterError::Changed { path: path.to_owned(), line, sequence, release, detail })
        }
    }
}
