//! Two directories that appear together: the release, which may be handed out, and its private folder, which stays.
//!
//! Both grow under hidden names beside their place, `.NAME.paravent-…` and `.NAME.paravent-….private`, which only their owner can read. When
//! all is written, verified and on disk, the private folder is renamed into place first and the release second: a release
//! never appears without its private folder. Killed at any moment, there is the old release or the new one, never a mixture and never none.
//! Killed between the two, the old release has the new private folder beside it; the old one waits under its hidden name,
//! where the verifier finds it, and the next run for the same place puts it back and removes what is left.

#[cfg(any(test, feature = "testing"))]
pub mod faults;
mod folders;
mod leftovers;
mod occupant;
#[cfg(test)]
mod tests;

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

pub use folders::find_private;
pub use folders::private_of;
use occupant::Occupant;

use super::WriteError;

/// What to do with a release that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Leave it, and fail.
    Refuse,
    /// Put the new one in its place. What is not a release is left alone all the same.
    Force,
}

/// A release in the making. Dropped without [`publish`](Self::publish), it is removed.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    path: PathBuf,
    private: PathBuf,
    /// Open and locked as long as the directory is in use, so that no other run takes it for a leftover.
    _lock: File,
    published: bool,
}

impl Staging {
    /// Whether a release may be put at `target`: to be asked before the work is done. [`publish`](Self::publish) asks again.
    pub fn check(target: &Path, replace: Replace) -> Result<(), WriteError> {
        let target = resolve(target)?;
        // A run that was killed between its two renames leaves a private folder that would be in the way.
        let _ = leftovers::clear(&target);
        let private = private_of(&target);
        let places = [(&target, Occupant::of(&target)), (&private, Occupant::of_private(&private))];
        for (place, occupant) in places {
            let path = place.clone();
            match occupant.map_err(at(place))? {
                Occupant::Nothing | Occupant::EmptyDirectory => {}
                Occupant::File => return Err(WriteError::NotADirectory { path }),
                Occupant::Release if replace == Replace::Force => {}
                Occupant::Release => return Err(WriteError::Exists { path }),
                Occupant::OtherDirectory => return Err(WriteError::NotARelease { path }),
            }
        }
        Ok(())
    }

    /// Makes hidden directories beside `target`, whose parent must exist. Clears away what killed runs for the same target left.
    pub fn beside(target: &Path) -> Result<Self, WriteError> {
        let target = resolve(target)?;
        leftovers::clear(&target)?;
        loop {
            let path = hidden(&target)?;
            DirBuilder::new().mode(0o700).create(&path).map_err(at(&path))?;
            if let Some(lock) = lock(&path).map_err(at(&path))? {
                let private = private_of(&path);
                let staging = Self { target, path, private, _lock: lock, published: false };
                DirBuilder::new().mode(0o700).create(&staging.private).map_err(at(&staging.private))?;
                return Ok(staging);
            }
            // Another run took the directory for a leftover before it was locked. Rare enough to simply try again.
        }
    }

    /// Where the files of the release are for now. The private ones are beside it, as they will be in their place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the private files are for now.
    pub fn private(&self) -> &Path {
        &self.private
    }

    /// Creates a file of the release that only its owner can read, until it is published.
    pub fn create(&self, name: &str) -> Result<File, WriteError> {
        create(self.path.join(name))
    }

    /// Creates a file that stays at home. Only its owner can ever read it.
    pub fn create_private(&self, name: &str) -> Result<File, WriteError> {
        create(self.private.join(name))
    }

    /// Brings everything to disk and puts it in place, the private folder first. The files of the release get ordinary permissions (0644,
    /// the directory 0755, less the umask); the private ones keep theirs (0600, 0700).
    pub fn publish(mut self, replace: Replace) -> Result<(), WriteError> {
        Self::check(&self.target, replace)?;
        let hidden_bits = umask(&self.path).map_err(at(&self.path))?;
        settle(&self.path, 0o644 & !hidden_bits)?;
        settle(&self.private, 0o600)?;
        let place = private_of(&self.target);
        // Who has nothing to keep gets no folder.
        let old_private = match is_empty(&self.private) && !place.exists() {
            true => None,
            false => put(&self.private, &place, replace)?,
        };
        let put = sync(parent(&self.target)).and_then(|()| put(&self.path, &self.target, replace));
        let old = match put {
            Ok(old) => old,
            Err(error) => {
                take_back(&self.private, &place, old_private.as_deref());
                return Err(error);
            }
        };
        self.published = true;
        // From here on the release is to be seen. What goes wrong now leaves open whether it survives a loss of power, or the old one does.
        self.make_last(0o755 & !hidden_bits).map_err(|error| match error {
            WriteError::Io { path, source } => WriteError::Unsettled { path, source },
            other => other,
        })?;
        // Only now is it sure that the old release is not needed. If it cannot be removed, the next run does it.
        old.iter().chain(&old_private).chain([&self.private]).for_each(|old| discard(old));
        Ok(())
    }

    /// Opens the release to others and makes its place last.
    fn make_last(&self, mode: u32) -> Result<(), WriteError> {
        // What is hidden is closed to others until it is in its place.
        fs::set_permissions(&self.target, Permissions::from_mode(mode)).map_err(at(&self.target))?;
        sync(&self.target)?;
        sync(parent(&self.target))
    }
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn create(path: PathBuf) -> Result<File, WriteError> {
    OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(&path).map_err(at(&path))
}

/// Puts a directory in its place and tells where the old one is now.
fn put(new: &Path, place: &Path, replace: Replace) -> Result<Option<PathBuf>, WriteError> {
    // Replaces nothing but an empty directory.
    let error = match fs::rename(new, place) {
        Ok(()) => return Ok(None),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists if replace == Replace::Force => {}
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
            return Err(WriteError::Exists { path: place.to_owned() });
        }
        io::ErrorKind::NotADirectory => {
            return Err(WriteError::NotADirectory { path: place.to_owned() });
        }
        _ => return Err(at(place)(error)),
    }
    match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(Some(new.to_owned())),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => swap_in_steps(new, place).map(Some),
        Err(error) => Err(at(place)(error.into())),
    }
}

/// For file systems that cannot exchange two names. Killed between the two steps, there is nothing in the place until the next
/// run for it puts the old directory back.
fn swap_in_steps(new: &Path, place: &Path) -> Result<PathBuf, WriteError> {
    let old = leftovers::old_name(new);
    fs::rename(place, &old).map_err(at(place))?;
    match fs::rename(new, place) {
        Ok(()) => Ok(old),
        Err(error) => {
            let _ = fs::rename(&old, place);
            Err(at(place)(error))
        }
    }
}

/// Undoes [`put`]: the old directory is in the place again, or nothing, and the new one under its hidden name.
fn take_back(new: &Path, place: &Path, old: Option<&Path>) {
    match old {
        Some(old) if renameat_with(CWD, old, CWD, place, RenameFlags::EXCHANGE).is_ok() => {}
        Some(old) => {
            discard(place);
            let _ = fs::rename(old, place);
        }
        None => {
            let _ = fs::rename(place, new);
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.published {
            discard(&self.private);
            discard(&self.path);
        }
    }
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
fn hidden(target: &Path) -> Result<PathBuf, WriteError> {
    let mut random = [0; leftovers::RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(|error| at(target)(io::Error::other(error.to_string())))?;
    let mut name = leftovers::prefix(target, leftovers::NEW);
    name.push(hex::encode(random));
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

/// Sets the permissions of the files and syncs, the files before their directory.
fn settle(directory: &Path, mode: u32) -> Result<(), WriteError> {
    for entry in fs::read_dir(directory).map_err(at(directory))? {
        let path = entry.map_err(at(directory))?.path();
        fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(at(&path))?;
        sync(&path)?;
    }
    sync(directory)
}

/// Removes a directory that is no longer needed. Others cannot look into it while it goes, so that none sees half a release.
fn discard(directory: &Path) {
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    let _ = fs::remove_dir_all(directory);
}

fn sync(path: &Path) -> Result<(), WriteError> {
    #[cfg(any(test, feature = "testing"))]
    faults::sync(path)?;
    File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |source| WriteError::Io { path, source }
}
