//! Writing a small text file: completely or not at all.

use crate::failure::Failure;
use paravent_pipeline::write::ordinary_permissions;
use std::io::{self, Write};
use std::path::Path;

/// Writes the text. A file that is there is replaced only if that was asked for.
pub fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    put(path, text, force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::exists(path),
        _ => Failure::input_output(format!("{}: {error}", path.display())),
    })
}

fn put(path: &Path, text: &str, force: bool) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Only its owner can read it before it is whole.
    let mut beside = tempfile::Builder::new().prefix(".paravent-").tempfile_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.as_file().set_permissions(ordinary_permissions())?;
    beside.as_file().sync_all()?;
    match force {
        true => beside.persist(path).map(drop)?,
        false => beside.persist_noclobber(path).map(drop)?,
    }
    Ok(())
}
