//! A disk that fails when a test says so.

use super::{WriteError, at};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static FAILING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on, bringing this to disk fails, until the guard is dropped.
pub(crate) fn fail(path: &Path) -> Failing {
    FAILING.lock().unwrap().push(path.to_owned());
    Failing(path.to_owned())
}

pub(crate) struct Failing(PathBuf);

impl Drop for Failing {
    fn drop(&mut self) {
        FAILING.lock().unwrap().retain(|path| *path != self.0);
    }
}

pub(super) fn sync(path: &Path) -> Result<(), WriteError> {
    match FAILING.lock().unwrap().iter().any(|failing| failing == path) {
        true => Err(at(path)(io::Error::other("the disk fails"))),
        false => Ok(()),
    }
}
