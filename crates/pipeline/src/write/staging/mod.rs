//! A directory that appears at once.
//!
//! A release grows in a hidden directory beside its place, `.NAME.paravent-…`, which only its owner can read. When all is
//! written, verified and on disk, it is renamed into place. Killed at any moment, there is the old release or the new one,
//! never a mixture and never none; the hidden directory left behind is removed by the next run for the same place.

mod leftovers;
#[cfg(test)]
mod tests;

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

use super::WriteError;
use super::hashing::hexadecimal;

/// What to do with a release that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Leave it, and fail.
    Refuse,
    /// Put the new one in its place. What is not a release is left alone all the same.
    Force,
}

/// A directory in the making. Dropped without [`publish`](Self::publish), it is removed.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    path: PathBuf,
    /// Open and locked as long as the directory is in use, so that no other run takes it for a leftover.
    _lock: File,
    published: bool,
}

impl Staging {
    /// Whether a release may be put at `target`: to be asked before the work is done. [`publish`](Self::publish) asks again.
    pub fn check(target: &Path, replace: Replace) -> Result<(), WriteError> {
        let target = resolve(target)?;
        let path = || target.clone();
        match Occupant::of(&target).map_err(at(&target))? {
            Occupant::Nothing | Occupant::EmptyDirectory => Ok(()),
            Occupant::File => Err(WriteError::NotADirectory { path: path() }),
            Occupant::Release if replace == Replace::Force => Ok(()),
            Occupant::Release => Err(WriteError::Exists { path: path() }),
            Occupant::OtherDirectory => Err(WriteError::NotARelease { path: path() }),
        }
    }

    /// Makes a hidden directory beside `target`, whose parent must exist. Clears away what killed runs for the same target left.
    pub fn beside(target: &Path) -> Result<Self, WriteError> {
        let target = resolve(target)?;
        leftovers::clear(&target)?;
        loop {
            let path = hidden(&target, leftovers::NEW)?;
            DirBuilder::new().mode(0o700).create(&path).map_err(at(&path))?;
            if let Some(lock) = lock(&path).map_err(at(&path))? {
                return Ok(Self { target, path, _lock: lock, published: false });
            }
            // Another run took the directory for a leftover before it was locked. Rare enough to simply try again.
        }
    }

    /// Where the files are for now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file that only its owner can read, until it is published.
    pub fn create(&self, name: &str) -> Result<File, WriteError> {
        let path = self.path.join(name);
        OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(&path).map_err(at(&path))
    }

    /// Brings everything to disk and puts it in place. The files get ordinary permissions (0644, directories 0755, less the umask).
    pub fn publish(mut self, replace: Replace) -> Result<(), WriteError> {
        Self::check(&self.target, replace)?;
        let hidden_bits = umask(&self.path).map_err(at(&self.path))?;
        settle(&self.path, hidden_bits)?;
        let old = self.rename(replace)?;
        self.published = true;
        sync(parent(&self.target))?;
        // Only now is it sure that the old release is not needed. If it cannot be removed, the next run does it.
        if let Some(old) = old {
            discard(&old);
        }
        Ok(())
    }

    /// Puts the new release in place and tells where the old one is now.
    fn rename(&self, replace: Replace) -> Result<Option<PathBuf>, WriteError> {
        // Replaces nothing but an empty directory.
        let error = match fs::rename(&self.path, &self.target) {
            Ok(()) => return Ok(None),
            Err(error) => error,
        };
        match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists if replace == Replace::Force => {}
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
                return Err(WriteError::Exists { path: self.target.clone() });
            }
            io::ErrorKind::NotADirectory => {
                return Err(WriteError::NotADirectory { path: self.target.clone() });
            }
            _ => return Err(at(&self.target)(error)),
        }
        match renameat_with(CWD, &self.path, CWD, &self.target, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(Some(self.path.clone())),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.swap_in_steps().map(Some),
            Err(error) => Err(at(&self.target)(error.into())),
        }
    }

    /// For file systems that cannot exchange two names. Killed between the two steps, the release is missing until the next
    /// run for this place puts the old one back.
    fn swap_in_steps(&self) -> Result<PathBuf, WriteError> {
        let old = hidden(&self.target, leftovers::OLD)?;
        fs::rename(&self.target, &old).map_err(at(&self.target))?;
        match fs::rename(&self.path, &self.target) {
            Ok(()) => Ok(old),
            Err(error) => {
                let _ = fs::rename(&old, &self.target);
                Err(at(&self.target)(error))
            }
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.published {
            discard(&self.path);
        }
    }
}

/// What is at a release's place.
#[derive(Debug, PartialEq, Eq)]
enum Occupant {
    Nothing,
    EmptyDirectory,
    Release,
    OtherDirectory,
    File,
}

impl Occupant {
    fn of(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nothing),
            Err(error) => Err(error),
            Ok(metadata) if !metadata.is_dir() => Ok(Self::File),
            Ok(_) if fs::read_dir(path)?.next().is_none() => Ok(Self::EmptyDirectory),
            Ok(_) if is_manifest(&path.join("manifest.json")) && holds_nothing_else(path)? => {
                Ok(Self::Release)
            }
            Ok(_) => Ok(Self::OtherDirectory),
        }
    }
}

/// Replacing a release removes what is in it: files of somebody else's are not ours to remove.
fn holds_nothing_else(path: &Path) -> io::Result<bool> {
    const OURS: [&str; 7] = [
        "data.csv",
        "data.parquet",
        "data.arrow",
        "report.html",
        "report.json",
        "manifest.json",
        "transform.json",
    ];
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !OURS.iter().any(|name| entry.file_name() == *name) || entry.file_type()?.is_dir() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Other programs have a manifest.json, too: ours says so.
fn is_manifest(path: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Manifest {
        #[serde(rename = "paravent")]
        _version: String,
    }
    File::open(path)
        .is_ok_and(|file| serde_json::from_reader::<_, Manifest>(io::BufReader::new(file)).is_ok())
}

/// The place itself, if `target` is a link to it.
fn resolve(target: &Path) -> Result<PathBuf, WriteError> {
    if target.file_name().is_none() {
        return Err(WriteError::NoPlace { path: target.to_owned() });
    }
    match fs::symlink_metadata(target) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(target).map_err(at(target)),
        _ => Ok(target.to_owned()),
    }
}

fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A new hidden name beside `target`.
fn hidden(target: &Path, purpose: &str) -> Result<PathBuf, WriteError> {
    let mut random = [0; leftovers::RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(|error| at(target)(io::Error::other(error.to_string())))?;
    let mut name = leftovers::prefix(target, purpose);
    name.push(hexadecimal(&random));
    Ok(parent(target).join(name))
}

/// Locks a directory. `None` if someone else has it, or it is gone.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let directory = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        // No locks here (some network file systems): then leftovers cannot be told from others and stay.
        Err(_) => return Ok(Some(directory)),
    }
    let still_there =
        fs::metadata(path).is_ok_and(|now| directory.metadata().is_ok_and(|ours| now.ino() == ours.ino()));
    Ok(still_there.then_some(directory))
}

/// The permissions that new files do not get. Asking the process would change its umask for a moment, for all threads.
fn umask(inside: &Path) -> io::Result<u32> {
    let probe = inside.join(".umask");
    DirBuilder::new().mode(0o777).create(&probe)?;
    let mode = fs::metadata(&probe)?.mode();
    fs::remove_dir(&probe)?;
    Ok(!mode & 0o777)
}

/// Sets permissions and syncs, files before their directories.
fn settle(directory: &Path, hidden_bits: u32) -> Result<(), WriteError> {
    for entry in fs::read_dir(directory).map_err(at(directory))? {
        let entry = entry.map_err(at(directory))?;
        let path = entry.path();
        if entry.file_type().map_err(at(&path))?.is_dir() {
            settle(&path, hidden_bits)?;
        } else {
            fs::set_permissions(&path, Permissions::from_mode(0o644 & !hidden_bits)).map_err(at(&path))?;
            sync(&path)?;
        }
    }
    fs::set_permissions(directory, Permissions::from_mode(0o755 & !hidden_bits)).map_err(at(directory))?;
    sync(directory)
}

/// Removes a directory that nobody needs. Others cannot look into it while it goes, so that none sees half a release.
fn discard(directory: &Path) {
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    let _ = fs::remove_dir_all(directory);
}

fn sync(path: &Path) -> Result<(), WriteError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |source| WriteError::Io { path, source }
}
