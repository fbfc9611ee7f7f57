//! Which private folder belongs to which release.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::leftovers;

/// The place of a release's private folder: `<release>.private`, beside it.
pub fn private_of(release: &Path) -> PathBuf {
    let mut name = release.file_name().unwrap_or_default().to_owned();
    name.push(".private");
    release.with_file_name(name)
}

/// The private folder of a release: the one beside it, unless a run was killed while it replaced the two and the right one waits under a hidden
/// name. `None` where there is none.
pub fn find_private(release: &Path) -> Option<PathBuf> {
    // A link leads to the release; its private folder is where the release is.
    let place = fs::canonicalize(release).ok()?;
    let beside = private_of(&place);
    let made = manifest_digest(&place);
    if made.is_none() || release_named(&beside) == made {
        return beside.is_dir().then_some(beside);
    }
    let waiting = leftovers::private_folders(&place).unwrap_or_default();
    let found = waiting.into_iter().find(|path| release_named(path) == made);
    found.or_else(|| beside.is_dir().then_some(beside))
}

/// The digest of a release's manifest: what a private folder names it by.
pub(super) fn manifest_digest(release: &Path) -> Option<String> {
    let bytes = fs::read(release.join("manifest.json")).ok()?;
    Some(hex::encode(Sha256::digest(bytes)))
}

/// The manifest that a private folder says it was made with.
pub(super) fn release_named(private: &Path) -> Option<String> {
    let bytes = fs::read(private.join("transform.json")).ok()?;
    let document: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    document["release"]["manifest_sha256"].as_str().map(str::to_owned)
}
