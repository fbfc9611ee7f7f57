//! A folder that one program has, and what others have left in it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub(super) const LOCK_FILE: &str = ".paravent-ui.lock";
pub(super) const TEMPORARY: &str = ".paravent-ui-";

/// One program per project: two would undo each other's changes.
pub(super) fn take(folder: &Path) -> io::Result<File> {
    let place = folder.join(LOCK_FILE);
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(place)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        io::Error::other(format!("{}: another `paravent ui` has this project open", folder.display()))
    })?;
    Ok(file)
}

/// Removes what a program that was killed has left behind.
pub(super) fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
