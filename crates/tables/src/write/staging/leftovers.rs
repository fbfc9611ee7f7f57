//! What runs that were killed left beside a release's place.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::folders::{manifest_digest, private_of, release_named};
use super::{Occupant, at, discard, parent, take_back};
use crate::write::WriteError;

/// A release in the making, or an old one exchanged for it.
pub(super) const NEW: &str = "";
/// An old release that had to step aside.
const OLD: &str = "old-";
/// Random part of a hidden name.
pub(super) const RANDOM_BYTES: usize = 8;

/// A hidden name without its random end.
pub(super) fn prefix(target: &Path, purpose: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".paravent-");
    name.push(purpose);
    name
}

/// Where an old directory steps aside for a new one that is in the making: the same random end tells whose it is.
pub(super) fn old_name(new: &Path) -> PathBuf {
    let name = new.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let aside = match name.rsplit_once(".paravent-") {
        Some((front, end)) => format!("{front}.paravent-{OLD}{end}"),
        None => format!("{name}.{OLD}"),
    };
    new.with_file_name(aside)
}

/// Puts an old release and its private folder back if a run was killed while it replaced them, and removes everything that is not in use.
pub(super) fn clear(target: &Path) -> Result<(), WriteError> {
    for old in named(target, OLD, "").map_err(at(target))? {
        let absent = Occupant::of(target).map_err(at(target))? == Occupant::Nothing;
        if absent && Occupant::of(&old).map_err(at(&old))? == Occupant::Release {
            fs::rename(&old, target).map_err(at(target))?;
        } else {
            remove_unused(&old);
        }
    }
    let releases = named(target, NEW, "").map_err(at(target))?;
    releases.iter().for_each(|release| take_private_back(target, release));
    put_private_back(target).map_err(at(target))?;
    private_folders(target).map_err(at(target))?.iter().for_each(|path| remove_private(path));
    releases.iter().for_each(|path| remove_unused(path));
    Ok(())
}

/// A run was killed after its private folder was in place and before its release was: the old private folder comes back, or none.
fn take_private_back(target: &Path, release: &Path) {
    let place = private_of(target);
    // As long as the other run lives, it holds the lock.
    let Some(_lock) = locked(release) else { return };
    let Some(made) = manifest_digest(release) else { return };
    if release_named(&place) != Some(made.clone()) || manifest_digest(target) == Some(made) {
        return;
    }
    let hidden = private_of(release);
    let aside = old_name(&hidden);
    let old = [hidden.clone(), aside].into_iter().find(|path| path.is_dir());
    take_back(&hidden, &place, old.as_deref());
}

/// Where two names cannot be exchanged, a private folder may wait under its hidden name while its place is empty.
fn put_private_back(target: &Path) -> io::Result<()> {
    let place = private_of(target);
    if Occupant::of_private(&place)? != Occupant::Nothing {
        return Ok(());
    }
    let Some(made) = manifest_digest(target) else { return Ok(()) };
    for waiting in named(target, OLD, ".private")? {
        if in_use(&waiting) || release_named(&waiting).as_ref() != Some(&made) {
            continue;
        }
        return fs::rename(&waiting, &place);
    }
    Ok(())
}

/// Private folders under hidden names.
pub(super) fn private_folders(target: &Path) -> io::Result<Vec<PathBuf>> {
    Ok([named(target, NEW, ".private")?, named(target, OLD, ".private")?].concat())
}

/// Directories beside the target with such a name.
fn named(target: &Path, purpose: &str, suffix: &str) -> io::Result<Vec<PathBuf>> {
    let prefix = prefix(target, purpose);
    let is_ours = |name: &OsStr| {
        name.as_encoded_bytes()
            .strip_prefix(prefix.as_encoded_bytes())
            .and_then(|end| end.strip_suffix(suffix.as_bytes()))
            .is_some_and(|end| end.len() == 2 * RANDOM_BYTES && end.iter().all(u8::is_ascii_hexdigit))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(parent(target))? {
        let entry = entry?;
        if is_ours(&entry.file_name()) && entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The lock of a directory, if it can be had.
fn locked(path: &Path) -> Option<File> {
    let directory = File::open(path).ok()?;
    flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(directory)
}

/// Removes a directory if its lock can be had. One that cannot be removed does no harm.
fn remove_unused(path: &Path) {
    if let Some(_lock) = locked(path) {
        discard(path);
    }
}

/// Whether the run that a hidden private folder belongs to is still at it: it holds the lock of the release in the making.
fn in_use(private: &Path) -> bool {
    let name = private.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let release = name.strip_suffix(".private").unwrap_or(&name).replacen(".paravent-old-", ".paravent-", 1);
    let release = private.with_file_name(release);
    release.exists() && locked(&release).is_none()
}

fn remove_private(path: &Path) {
    if !in_use(path) {
        discard(path);
    }
}
