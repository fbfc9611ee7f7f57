//! Is everything still as the register says?

use super::chain::{Broken, Chain};
use super::error::RegisterError;
use super::file::Register;
use super::line::{Line, ReleaseRecord};
use crate::write::{find_private, hexadecimal, private_of};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What became of a registered release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseState {
    /// All its files are as they were.
    InPlace,
    /// A later release took its place.
    Replaced,
    /// The run ended after its line was written and before its files appeared.
    NeverAppeared,
    /// Its directory is not there any more.
    Gone,
    /// Files were changed, removed or exchanged.
    Changed,
}

impl ReleaseState {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            ReleaseState::InPlace => "in place",
            ReleaseState::Replaced => "replaced",
            ReleaseState::NeverAppeared => "never appeared",
            ReleaseState::Gone => "gone",
            ReleaseState::Changed => "CHANGED",
        }
    }
}

/// What was found of one release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line of the register, from 1.
    pub line: usize,
    /// The number of the release.
    pub sequence: u64,
    /// Its directory.
    pub release: String,
    /// What became of it.
    pub state: ReleaseState,
    /// Why that is said.
    pub detail: String,
}

/// What was found of a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Whether the chain is whole and no file was changed.
    pub holds: bool,
    /// The file.
    pub register: PathBuf,
    /// Its sound lines.
    pub lines: usize,
    /// The first line that is not as it was written.
    pub broken: Option<Broken>,
    /// Releases that say they are registered, and are not: a line at the end is missing.
    pub unregistered: Vec<Broken>,
    /// What became of each release.
    pub releases: Vec<Finding>,
}

/// Looks at the register of a folder and at the releases it names. Changes nothing.
///
/// # Errors
/// If there is no register, or it cannot be read.
pub fn verify(folder: &Path) -> Result<Verified, RegisterError> {
    let chain = Register::read(folder)?;
    let all = chain.releases();
    let releases: Vec<Finding> =
        all.iter().map(|&(line, release)| finding(folder, &all, line, release)).collect();
    // Behind a broken line nothing can be said of what is missing.
    let unregistered = if chain.broken.is_none() { unregistered(folder, &chain) } else { Vec::new() };
    let changed = releases.iter().any(|finding| finding.state == ReleaseState::Changed);
    Ok(Verified {
        holds: chain.broken.is_none() && unregistered.is_empty() && !changed,
        register: Register::path(folder),
        lines: chain.lines.len(),
        broken: chain.broken.clone(),
        unregistered,
        releases,
    })
}

fn finding(folder: &Path, all: &[(&Line, &ReleaseRecord)], line: &Line, release: &ReleaseRecord) -> Finding {
    let (state, detail) = state(folder, all, line, release);
    let line_number = usize::try_from(line.sequence).unwrap_or(usize::MAX).saturating_add(1);
    Finding { line: line_number, sequence: line.sequence, release: release.release.clone(), state, detail }
}

fn state(
    folder: &Path,
    all: &[(&Line, &ReleaseRecord)],
    line: &Line,
    release: &ReleaseRecord,
) -> (ReleaseState, String) {
    let directory = folder.join(&release.release);
    let Ok(manifest) = file_digest(&directory.join("manifest.json")) else {
        if directory.join("manifest.json").exists() || has_files(&directory) {
            return (ReleaseState::Changed, "its manifest.json is missing or cannot be read".to_owned());
        }
        return match is_left_over(&directory, release) {
            true => (ReleaseState::NeverAppeared, ended().to_owned()),
            false => (ReleaseState::Gone, "moved, removed, or its run ended before it appeared".to_owned()),
        };
    };
    let wrong = changed_files(&directory, release);
    if wrong.is_empty() {
        return (ReleaseState::InPlace, in_place(&directory, release));
    }
    // Who is there instead?
    let same_place = |other: &&(&Line, &ReleaseRecord)| {
        other.1.release == release.release && other.0.sequence != line.sequence && fits(&directory, other.1)
    };
    let others: Vec<u64> = all.iter().filter(same_place).map(|other| other.0.sequence).collect();
    if let Some(later) = others.iter().find(|&&sequence| sequence > line.sequence) {
        return (ReleaseState::Replaced, format!("release {later} is in its place"));
    }
    if let Some(before) = others.iter().max() {
        return (ReleaseState::NeverAppeared, format!("{}; release {before} is still there", ended()));
    }
    // Files of another release that were changed since: that one's line says so.
    let manifest_of = |other: &&(&Line, &ReleaseRecord)| {
        other.1.release == release.release
            && other.1.manifest() == manifest
            && other.0.sequence < line.sequence
    };
    if manifest != release.manifest()
        && let Some(before) = all.iter().rfind(manifest_of)
    {
        let before = before.0.sequence;
        return (ReleaseState::NeverAppeared, format!("{}; release {before} was still there", ended()));
    }
    let later = all
        .iter()
        .filter(|other| other.1.release == release.release && other.0.sequence > line.sequence)
        .map(|other| other.0.sequence)
        .max();
    match later {
        Some(later) if manifest != release.manifest() => {
            (ReleaseState::Replaced, format!("release {later} took its place"))
        }
        _ => (ReleaseState::Changed, format!("{} not as registered", wrong.join(", "))),
    }
}

fn in_place(directory: &Path, release: &ReleaseRecord) -> String {
    let files = release.files.len();
    match (release.private.len(), find_private(directory).is_some()) {
        (0, _) => format!("{files} files are as they were"),
        (private, true) => format!("{} files are as they were", files + private),
        (_, false) => format!("{files} files are as they were; its private folder is not beside it"),
    }
}

fn ended() -> &'static str {
    "its run ended after the line was written and before its files appeared"
}

fn fits(directory: &Path, release: &ReleaseRecord) -> bool {
    changed_files(directory, release).is_empty()
}

/// Names of the files that are not as registered.
fn changed_files(directory: &Path, release: &ReleaseRecord) -> Vec<String> {
    let differs = |folder: &Path, name: &String, digest: &String| {
        !is_plain(name) || file_digest(&folder.join(name)).ok().as_ref() != Some(digest)
    };
    let wrong = release.files.iter().filter(|(name, digest)| differs(directory, name, digest));
    let mut wrong: Vec<String> = wrong.map(|(name, _)| name.clone()).collect();
    // A private folder may be kept elsewhere. One that is here must be the right one.
    if let Some(private) = find_private(directory) {
        let changed = release.private.iter().filter(|(name, digest)| differs(&private, name, digest));
        wrong.extend(changed.map(|(name, _)| format!("{name} of the private folder")));
    }
    wrong
}

/// A name and nothing else: a register must not lead elsewhere.
fn is_plain(name: &str) -> bool {
    Path::new(name).components().count() == 1 && Path::new(name).file_name().is_some()
}

fn has_files(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
}

/// Whether the files of a release wait beside its place, in the hidden directory in which they were written.
fn is_left_over(directory: &Path, release: &ReleaseRecord) -> bool {
    let (Some(parent), Some(name)) = (directory.parent(), directory.file_name()) else { return false };
    let prefix = format!(".{}.paravent-", name.to_string_lossy());
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut hidden = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    hidden.any(|entry| fits(&entry.path(), release))
}

/// Releases in the folder, and where registered ones are, that name a line which the register does not have.
fn unregistered(folder: &Path, chain: &Chain) -> Vec<Broken> {
    let mut places: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    for (_, release) in chain.releases() {
        let place = folder.join(&release.release);
        places.extend([private_of(&place), place]);
    }
    places.sort();
    places.dedup();
    let missing = places.iter().filter_map(|place| {
        let said = said_to_be(place)?;
        // The hidden directories of runs that were stopped are not releases.
        let hidden = place.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let ours = said.id == chain_id(chain) && !hidden;
        let absent = said.sequence >= chain.lines.len() as u64;
        (ours && absent).then(|| Broken {
            line: usize::try_from(said.sequence).unwrap_or(usize::MAX).saturating_add(1),
            what: format!(
                "the line of the release {} is missing at the end of the register",
                shown(folder, place)
            ),
        })
    });
    missing.collect()
}

fn shown(folder: &Path, place: &Path) -> String {
    let shown = place.strip_prefix(folder).unwrap_or(place).display().to_string();
    shown.strip_suffix(".private").map_or(shown.clone(), str::to_owned)
}

/// What tells a register from others.
pub(crate) fn chain_id(chain: &Chain) -> String {
    let salt = chain.salt().map(|salt| salt.cell("", None)).unwrap_or_default();
    format!("{salt:016x}")
}

/// What the report of a private folder (or of a release, before there were such folders) says of the register it is in.
struct Said {
    sequence: u64,
    id: String,
}

fn said_to_be(place: &Path) -> Option<Said> {
    let bytes = fs::read(place.join("report.json")).ok()?;
    let report: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let register = report.get("register")?;
    Some(Said { sequence: register.get("sequence")?.as_u64()?, id: register.get("id")?.as_str()?.to_owned() })
}

/// SHA-256 of a file, in hexadecimal.
pub(crate) fn file_digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            count => hash.update(&buffer[..count]),
        }
    }
}
