//! Documents on their way into a release.

use paravent_tables::write::{Staging, WriteError};
use serde::Serialize;
use std::io::Write;

/// Writes a file that is handed out.
pub fn put(staging: &Staging, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = staging.create(name)?;
    file.write_all(bytes).map_err(|source| WriteError::Io { path: staging.path().join(name), source })
}

/// The same for a file that stays at home.
pub fn put_private(staging: &Staging, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = staging.create_private(name)?;
    file.write_all(bytes).map_err(|source| WriteError::Io { path: staging.private().join(name), source })
}

/// JSON as it is written into files.
pub fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
