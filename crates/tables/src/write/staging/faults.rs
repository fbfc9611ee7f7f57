//! A disk that fails when a test says so.

use super::{WriteError, at};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static FAILING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn failing() -> MutexGuard<'static, Vec<PathBuf>> {
    FAILING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, bringing this to disk fails, until the guard is dropped.
pub fn fail(path: &Path) -> Failing {
    failing().push(path.to_owned());
    Failing(path.to_owned())
}

/// Lets the disk work again when it is dropped.
pub struct Failing(PathBuf);

impl Drop for Failing {
    fn drop(&mut self) {
        failing().retain(|path| *path != self.0);
    }
}

pub(super) fn sync(path: &Path) -> Result<(), WriteError> {
    match failing().iter().any(|known| known == path) {
        true => Err(at(path)(io::Error::other("the disk fails"))),
        false => Ok(()),
    }
}
