//! What is where the releases of a register are said to be? Every file is read once, every place is looked through once.

use super::line::{Line, ReleaseRecord};
use super::state::{Finding, ReleaseState};
use paravent_tables::digest::file_digest;
use paravent_tables::write::find_private;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Digests of files that were looked at.
#[derive(Debug, Default)]
pub(super) struct Files {
    digests: HashMap<PathBuf, Option<String>>,
    /// The private folder of each release.
    private: HashMap<PathBuf, Option<PathBuf>>,
}

impl Files {
    /// `None` where there is no file that can be read.
    fn digest(&mut self, path: PathBuf) -> Option<&str> {
        let known = self.digests.entry(path);
        known.or_insert_with_key(|path| file_digest(path).ok()).as_deref()
    }

    fn private(&mut self, directory: &Path) -> Option<PathBuf> {
        let known = self.private.entry(directory.to_owned());
        known.or_insert_with_key(|directory| find_private(directory)).clone()
    }

    /// Names of the files that are not as registered.
    pub(super) fn changed(&mut self, directory: &Path, release: &ReleaseRecord) -> Vec<String> {
        // A private folder may be kept elsewhere. One that is here must be the right one.
        let private = self.private(directory);
        let mut differs = |folder: &Path, name: &String, digest: &String| {
            !is_plain(name) || self.digest(folder.join(name)) != Some(digest.as_str())
        };
        let wrong = release.files.iter().filter(|(name, digest)| differs(directory, name, digest));
        let mut wrong: Vec<String> = wrong.map(|(name, _)| name.clone()).collect();
        if let Some(private) = private {
            let changed = release.private.iter().filter(|(name, digest)| differs(&private, name, digest));
            wrong.extend(changed.map(|(name, _)| format!("{name} of the private folder")));
        }
        wrong
    }
}

/// The lines of one place, in order.
#[derive(Debug, Default)]
struct Place {
    /// Those whose files are there.
    fitting: Vec<u64>,
    /// By the digest of their manifest.
    by_manifest: HashMap<String, Vec<u64>>,
    /// The newest.
    newest: u64,
    /// The newest of those that are known to have appeared.
    appeared: Option<u64>,
}

/// Looks at all releases of a register.
#[derive(Debug)]
pub(super) struct Eyes {
    folder: PathBuf,
    files: Files,
    places: HashMap<String, Place>,
    /// Hidden directories, by the folder they are in.
    hidden: HashMap<PathBuf, Vec<PathBuf>>,
}

impl Eyes {
    pub(super) fn new(folder: &Path, all: &[(&Line, &ReleaseRecord)]) -> Eyes {
        let mut files = Files::default();
        let mut places: HashMap<String, Place> = HashMap::new();
        for (line, release) in all {
            let place = places.entry(release.release.clone()).or_default();
            if files.changed(&folder.join(&release.release), release).is_empty() {
                place.fitting.push(line.sequence);
            }
            place.by_manifest.entry(release.manifest().to_owned()).or_default().push(line.sequence);
            place.newest = line.sequence;
            if release.appeared == Some(true) {
                place.appeared = Some(line.sequence);
            }
        }
        Eyes { folder: folder.to_owned(), files, places, hidden: HashMap::new() }
    }

    pub(super) fn finding(&mut self, line: &Line, release: &ReleaseRecord) -> Finding {
        let (state, detail) = self.state(line.sequence, release);
        let number = usize::try_from(line.sequence).unwrap_or(usize::MAX).saturating_add(1);
        Finding { line: number, sequence: line.sequence, release: release.release.clone(), state, detail }
    }

    fn state(&mut self, sequence: u64, release: &ReleaseRecord) -> (ReleaseState, String) {
        let directory = self.folder.join(&release.release);
        let Some(manifest) = self.files.digest(directory.join("manifest.json")).map(str::to_owned) else {
            return self.without_manifest(&directory, release);
        };
        let wrong = self.files.changed(&directory, release);
        if wrong.is_empty() {
            let private = self.files.private(&directory).is_some();
            return (ReleaseState::InPlace, in_place(private, release));
        }
        let none = Place::default();
        let place = self.places.get(&release.release).unwrap_or(&none);
        // Who is there instead?
        let later = |sequences: &[u64]| sequences.last().copied().filter(|&other| other > sequence);
        let before = |sequences: &[u64]| {
            let end = sequences.partition_point(|&other| other < sequence);
            end.checked_sub(1).map(|at| sequences[at])
        };
        if let Some(later) = later(&place.fitting) {
            return (ReleaseState::Replaced, format!("release {later} is in its place"));
        }
        if let Some(before) = before(&place.fitting) {
            return older(place, sequence, release, before, "is");
        }
        // Files of another release that were changed since: that one's line says so.
        let others = place.by_manifest.get(&manifest).map_or(&[][..], Vec::as_slice);
        if manifest != release.manifest()
            && let Some(before) = before(others)
        {
            return older(place, sequence, release, before, "was");
        }
        if manifest != release.manifest() && place.newest > sequence {
            return (ReleaseState::Replaced, format!("release {} took its place", place.newest));
        }
        (ReleaseState::Changed, format!("{} not as registered", wrong.join(", ")))
    }

    fn without_manifest(&mut self, directory: &Path, release: &ReleaseRecord) -> (ReleaseState, String) {
        // Who took part in a joint release has a record of it, and no manifest.
        if release.manifest().is_empty() && directory.is_dir() {
            return match self.files.changed(directory, release).as_slice() {
                [] => (ReleaseState::InPlace, "the record of a joint release".to_owned()),
                wrong => (ReleaseState::Changed, format!("not as registered: {}", wrong.join(", "))),
            };
        }
        if directory.join("manifest.json").exists() || has_files(directory) {
            return (ReleaseState::Changed, "its manifest.json is missing or cannot be read".to_owned());
        }
        if release.appeared == Some(true) {
            return (ReleaseState::Gone, "moved or removed".to_owned());
        }
        match self.is_left_over(directory, release) {
            true => (ReleaseState::NeverAppeared, ended().to_owned()),
            false => (ReleaseState::Gone, "moved, removed, or its run ended before it appeared".to_owned()),
        }
    }

    /// Whether the files of a release wait beside its place, in the hidden directory in which they were written.
    fn is_left_over(&mut self, directory: &Path, release: &ReleaseRecord) -> bool {
        let (Some(parent), Some(name)) = (directory.parent(), directory.file_name()) else { return false };
        let hidden = self.hidden.entry(parent.to_owned()).or_insert_with(|| hidden(parent));
        let prefix = format!(".{}.paravent-", name.to_string_lossy());
        let ours = |path: &&PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        };
        hidden.iter().filter(ours).any(|path| self.files.changed(path, release).is_empty())
    }
}

/// An older release is where a newer one should be.
fn older(
    place: &Place,
    sequence: u64,
    release: &ReleaseRecord,
    before: u64,
    verb: &str,
) -> (ReleaseState, String) {
    if release.appeared != Some(true) {
        return (ReleaseState::NeverAppeared, format!("{}; release {before} {verb} still there", ended()));
    }
    match place.appeared.filter(|&newest| newest > sequence) {
        Some(newest) => (ReleaseState::Replaced, format!("release {newest} took its place")),
        None => (ReleaseState::PutBack, format!("release {before}, which it had replaced, was put back")),
    }
}

fn in_place(has_private: bool, release: &ReleaseRecord) -> String {
    let files = release.files.len();
    match (release.private.len(), has_private) {
        (0, _) => format!("{files} files are as they were"),
        (private, true) => format!("{} files are as they were", files + private),
        (_, false) => format!("{files} files are as they were; its private folder is not beside it"),
    }
}

fn ended() -> &'static str {
    "its run ended after the line was written and before its files appeared"
}

/// A name and nothing else: a register must not lead elsewhere.
fn is_plain(name: &str) -> bool {
    Path::new(name).components().count() == 1 && Path::new(name).file_name().is_some()
}

fn has_files(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
}

fn hidden(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let hidden = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    hidden.map(|entry| entry.path()).collect()
}
