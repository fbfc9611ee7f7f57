//! The folder that stays at home: `<release>.private/`, with the transformation.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::folder::Folder;
use crate::manifest::Manifest;
use crate::{Check, VerifyError, data, json};

/// Name of the transformation in the private folder.
pub(crate) const TRANSFORM: &str = "transform.json";
/// What the name of the private folder ends in.
const SUFFIX: &str = ".private";

/// The transformation as it was read.
pub(crate) struct Read<'a> {
    /// Name of the file, for messages.
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) document: Value,
    /// The folder it is in.
    pub(crate) folder: Folder<'a>,
}

/// Reads the transformation: from the folder itself (format 1), or from the private folder beside it. `None` where only the
/// handed-out folder is there.
pub(crate) fn read<'a>(
    dir: &Folder<'a>,
    manifest: &Manifest<'_>,
    manifest_sha256: &str,
) -> Result<Option<Read<'a>>, VerifyError> {
    match &manifest.transform {
        Some(transform) => transformation(dir.clone(), &transform.file, transform.file.clone()).map(Some),
        None => beside(dir, manifest_sha256),
    }
}

/// Whether the private folder that is there belongs to this manifest: for releases of noise, slices and queries. `None` where there is none, or where
/// it was written before private folders named their manifest.
pub(crate) fn check(dir: &Folder<'_>, manifest_sha256: &str) -> Result<Option<Check>, VerifyError> {
    let Some(read) = beside(dir, manifest_sha256)? else { return Ok(None) };
    if read.document["release"]["manifest_sha256"].is_null() {
        return Ok(None);
    }
    let problems: &[String] = match belongs(&read, manifest_sha256) {
        true => &[],
        false => &["the private folder beside it belongs to another manifest".to_owned()],
    };
    Ok(Some(Check::new(
        "transform",
        Some(&read.file),
        problems,
        "the private folder belongs to this manifest",
    )))
}

fn beside<'a>(dir: &Folder<'a>, manifest_sha256: &str) -> Result<Option<Read<'a>>, VerifyError> {
    let dir = match dir {
        Folder::Directory(dir) => dir,
        Folder::Handed(held) => {
            let read = |files| transformation(Folder::Private(files), TRANSFORM, TRANSFORM.to_owned());
            return held.private.map(read).transpose();
        }
        Folder::Private(_) => return Ok(None),
    };
    let Ok(place) = fs::canonicalize(dir) else { return Ok(None) };
    let Some(name) = place.file_name() else { return Ok(None) };
    let private = with_suffix(&place);
    let mut in_place = None;
    if is_folder(&private) {
        let shown = format!("{}{SUFFIX}/{TRANSFORM}", name.to_string_lossy());
        match transformation(Folder::Directory(private.clone()), TRANSFORM, shown) {
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
    let found = waiting.into_iter().map(Folder::Directory);
    let mut found = found.filter_map(|path| transformation(path, TRANSFORM, TRANSFORM.to_owned()).ok());
    Ok(found.find(|read| belongs(read, manifest_sha256)).or(in_place))
}

fn with_suffix(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(SUFFIX);
    PathBuf::from(name)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

fn belongs(read: &Read<'_>, manifest_sha256: &str) -> bool {
    read.document["release"]["manifest_sha256"].as_str() == Some(manifest_sha256)
}

fn transformation<'a>(dir: Folder<'a>, name: &str, shown: String) -> Result<Read<'a>, VerifyError> {
    let bytes = dir.read(name)?;
    Ok(Read {
        sha256: data::sha256(&bytes),
        document: json::parse(&shown, &bytes)?,
        file: shown,
        folder: dir,
    })
}
