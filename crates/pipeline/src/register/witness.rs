//! Releases are witnesses: each one's report says which line of which register is its own. So lines that were removed at the end, and a register
//! that was removed or exchanged as a whole, show as long as one of their releases is to be seen.

use super::chain::{Chain, ReleaseLog};
use super::error::RegisterError;
use super::file::{FILE_NAME, Register};
use super::line::Record;
use super::state::chain_id;
use paravent_ledger::log::Broken;
use paravent_tables::digest::file_digest;
use paravent_tables::write::private_of;
use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// What the report of a private folder (or of a release, where there is no such folder) says of the register it is in.
#[derive(Debug)]
struct Witness {
    /// The folder with the report.
    place: PathBuf,
    /// Its line, from 0.
    sequence: u64,
    /// Which register.
    id: String,
    /// Where the register is, seen from the folder; not said by older reports and by those that are handed out.
    file: Option<PathBuf>,
}

impl Witness {
    fn hear(place: &Path) -> Option<Witness> {
        // The hidden directories of runs that were stopped are not releases.
        if place.file_name()?.to_string_lossy().starts_with('.') {
            return None;
        }
        let bytes = fs::read(place.join("report.json")).ok()?;
        let report: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        let register = report.get("register")?;
        Some(Witness {
            place: place.to_owned(),
            sequence: register.get("sequence")?.as_u64()?,
            id: register.get("id")?.as_str()?.to_owned(),
            file: register.get("file").and_then(|file| file.as_str()).map(PathBuf::from),
        })
    }

    /// Whether it speaks of the register in this file.
    fn means(&self, file: &Path) -> bool {
        match &self.file {
            Some(from_here) => same(&self.place.join(from_here), file),
            None => same(&self.place.with_file_name(FILE_NAME), file),
        }
    }

    fn release(&self, folder: &Path) -> String {
        let shown = self.place.strip_prefix(folder).unwrap_or(&self.place).display().to_string();
        shown.strip_suffix(".private").map_or(shown.clone(), str::to_owned)
    }
}

/// All that can be asked: what is in the folder, where registered releases are, and the place of the next one.
fn witnesses(file: &Path, chain: Option<&Chain>, target: Option<&Path>) -> Vec<Witness> {
    let folder = Register::folder(file);
    let mut places = folders_below(&folder);
    let registered =
        chain.into_iter().flat_map(Chain::releases).map(|(_, release)| folder.join(&release.release));
    for place in registered.chain(target.map(Path::to_owned)) {
        places.extend([private_of(&place), place]);
    }
    places.sort();
    places.dedup();
    places.iter().filter_map(|place| Witness::hear(place)).collect()
}

/// How deep below a register releases are looked for, and in how many folders.
const DEEPEST: usize = 4;
const MOST_FOLDERS: usize = 2000;

/// What is in a folder and in the folders below it, breadth first; hidden folders are left alone.
fn folders_below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut waiting = VecDeque::from([(folder.to_owned(), 0)]);
    while let Some((folder, depth)) = waiting.pop_front() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        // A link may lead anywhere, and back.
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir() || depth == 0));
        for path in below.map(|entry| entry.path()) {
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !is_hidden
                && depth < DEEPEST
                && path.is_dir()
                && !path.is_symlink()
                && found.len() < MOST_FOLDERS
            {
                waiting.push_back((path.clone(), depth + 1));
            }
            found.push(path);
        }
    }
    found
}

/// Lines that releases say are theirs and that the register does not have.
pub(super) fn missing(file: &Path, chain: &Chain, target: Option<&Path>) -> Vec<Broken> {
    let folder = Register::folder(file);
    let heard = witnesses(file, Some(chain), target);
    let contradicted = heard.into_iter().filter_map(|witness| {
        let release = witness.release(&folder);
        let what = match witness.id == chain_id(chain) {
            true => contradiction(&folder, chain, &witness)
                .map(|what| format!("the line of the release {release} {what}")),
            // Older reports do not say where their register is: a release may well have come from elsewhere.
            false if witness.file.is_some() && witness.means(file) => {
                Some(format!("the release {release} is in another register that was here: it was exchanged"))
            }
            false => None,
        };
        let line = usize::try_from(witness.sequence).unwrap_or(usize::MAX).saturating_add(1);
        what.map(|what| Broken { line, what })
    });
    contradicted.collect()
}

fn contradiction(folder: &Path, chain: &Chain, witness: &Witness) -> Option<&'static str> {
    const OTHER: &str = "was exchanged for another one";
    let Some(line) = usize::try_from(witness.sequence).ok().and_then(|at| chain.lines.get(at)) else {
        return Some("is missing at the end of the register");
    };
    let Record::Release(record) = &line.record else { return Some(OTHER) };
    let registered = record.private.get("report.json").or_else(|| record.files.get("report.json"));
    let report = file_digest(&witness.place.join("report.json")).ok();
    let place = folder.join(&record.release);
    // A report that was changed in its place is told of as a changed file.
    let changed = same(&witness.place, &place) || same(&witness.place, &private_of(&place));
    (report.as_ref() != registered && !changed).then_some(OTHER)
}

/// Whether a register that is not there was there once.
pub(super) fn of_lost(file: &Path, target: Option<&Path>) -> Option<RegisterError> {
    let witness = witnesses(file, None, target).into_iter().find(|witness| witness.means(file))?;
    Some(RegisterError::Lost {
        path: file.to_owned(),
        release: witness.release(&Register::folder(file)),
        line: witness.sequence.saturating_add(1),
    })
}

/// The release that is at `target`, if a register has it and nobody took it back: the register's file, and the release's number.
pub(super) fn registered_at(target: &Path) -> Option<(PathBuf, u64)> {
    let witness = Witness::hear(&private_of(target)).or_else(|| Witness::hear(target))?;
    let file = match &witness.file {
        Some(from_here) => witness.place.join(from_here),
        None => witness.place.with_file_name(FILE_NAME),
    };
    let chain = Register::read(&file).ok().filter(|chain| chain_id(chain) == witness.id)?;
    let is_it = |place: &str| same(&Register::folder(&file).join(place), target);
    let releases = chain.releases();
    let (line, _) = releases
        .iter()
        .find(|(line, release)| line.sequence == witness.sequence && is_it(&release.release))?;
    Some((plain(&file), line.sequence))
}

/// Where a register is, seen from a folder beside a release's place.
pub(super) fn seen_from_beside(target: &Path, file: &Path) -> String {
    let target = match target.is_symlink() {
        true => fs::canonicalize(target).unwrap_or_else(|_| target.to_owned()),
        false => target.to_owned(),
    };
    let (from, to) = (plain(&private_of(&target)), plain(file));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    path.to_string_lossy().into_owned()
}

fn same(one: &Path, other: &Path) -> bool {
    plain(one) == plain(other)
}

/// An absolute path without links in its folder, whether or not something is there.
fn plain(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    match (plain.parent().and_then(|folder| fs::canonicalize(folder).ok()), plain.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => plain,
    }
}
