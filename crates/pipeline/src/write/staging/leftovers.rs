//! What runs that were killed left beside a release's place.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::{Occupant, at, discard, parent};
use crate::write::WriteError;

/// A release in the making, or an old one exchanged for it.
pub(super) const NEW: &str = "";
/// An old release that had to step aside.
pub(super) const OLD: &str = "old-";
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

/// Puts an old release back if its place is empty, and removes everything that nobody uses.
pub(super) fn clear(target: &Path) -> Result<(), WriteError> {
    for old in named(target, OLD).map_err(at(target))? {
        let absent = Occupant::of(target).map_err(at(target))? == Occupant::Nothing;
        if absent && Occupant::of(&old).map_err(at(&old))? == Occupant::Release {
            fs::rename(&old, target).map_err(at(target))?;
        } else {
            remove_unused(&old);
        }
    }
    named(target, NEW).map_err(at(target))?.iter().for_each(|path| remove_unused(path));
    Ok(())
}

/// Directories beside the target with such a name.
fn named(target: &Path, purpose: &str) -> io::Result<Vec<PathBuf>> {
    let prefix = prefix(target, purpose);
    let is_ours = |name: &OsStr| {
        name.as_encoded_bytes()
            .strip_prefix(prefix.as_encoded_bytes())
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

/// Removes a directory if its lock can be had. One that cannot be removed does no harm.
fn remove_unused(path: &Path) {
    let Ok(directory) = File::open(path) else { return };
    if flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok() {
        discard(path);
    }
}
