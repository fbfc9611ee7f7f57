//! Files that hold a secret: nobody else may read them.

use paravent_tables::engine::EngineError;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zeroize::Zeroizing;

/// What is said about such a file when something is wrong with it.
pub(crate) struct Advice {
    /// It is not there, or cannot be read.
    pub(crate) unreadable: &'static str,
    /// Others may read it.
    pub(crate) open: &'static str,
}

/// The text of the file.
pub(crate) fn read(path: &Path, advice: &Advice) -> Result<Zeroizing<String>, EngineError> {
    let unreadable = |_| EngineError::Credentials(advice.unreadable);
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(EngineError::Credentials(advice.open));
    }
    std::fs::read_to_string(path).map(Zeroizing::new).map_err(unreadable)
}
