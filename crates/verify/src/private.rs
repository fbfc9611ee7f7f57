//! The folder that stays at home: `<release>.private/`, with the transformation.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::manifest::Manifest;
use crate::{VerifyError, data, json};

/// Name of the transformation in the private folder.
pub(crate) const TRANSFORM: &str = "transform.json";
/// What the name of the private folder ends in.
const SUFFIX: &str = ".private";

/// The transformation as it was read.
pub(crate) struct Read {
    /// Name of the file, for messages.
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) document: Value,
    /// The folder it is in.
    pub(crate) folder: PathBuf,
}

/// Reads the transformation: from the folder itself (format 1), or from the private folder beside it. `None` where only the
/// handed-out folder is there.
pub(crate) fn read(
    dir: &Path,
    manifest: &Manifest<'_>,
    manifest_sha256: &str,
) -> Result<Option<Read>, VerifyError> {
    if let Some(transform) = &manifest.transform {
        return transformation(dir, &transform.file, transform.file.clone()).map(Some);
    }
    let Ok(place) = fs::canonicalize(dir) else { return Ok(None) };
    let Some(name) = place.file_name() else { return Ok(None) };
    let beside = with_suffix(&place);
    let mut in_place = None;
    if is_folder(&beside) {
        let shown = format!("{}{SUFFIX}/{TRANSFORM}", name.to_string_lossy());
        match transformation(&beside, TRANSFORM, shown) {
            Ok(read) if belongs(&read, manifest_sha256) => return Ok(Some(read)),
            Ok(read) => in_place = Some(read),
            // It is its owner's alone: for everybody else it is as if it were not there.
            Err(VerifyError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
    }
    // A run that was killed while it replaced the release leaves the old private folder under a hidden name.
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".paravent-");
    let waiting = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.starts_with(hidden.as_encoded_bytes()) && name.ends_with(SUFFIX.as_bytes()) && is_folder(path)
    };
    let entries = place.parent().and_then(|parent| fs::read_dir(parent).ok()).into_iter().flatten().flatten();
    let mut waiting: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(waiting).collect();
    waiting.sort();
    let found = waiting.iter().filter_map(|path| transformation(path, TRANSFORM, TRANSFORM.to_owned()).ok());
    Ok(found.into_iter().find(|read| belongs(read, manifest_sha256)).or(in_place))
}

fn with_suffix(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(SUFFIX);
    PathBuf::from(name)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

fn belongs(read: &Read, manifest_sha256: &str) -> bool {
    read.document["release"]["manifest_sha256"].as_str() == Some(manifest_sha256)
}

fn transformation(dir: &Path, name: &str, shown: String) -> Result<Read, VerifyError> {
    let bytes = data::read_document(dir, name)?;
    Ok(Read {
        sha256: data::sha256(&bytes),
        document: json::parse(&shown, &bytes)?,
        file: shown,
        folder: dir.to_owned(),
    })
}
