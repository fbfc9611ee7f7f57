//! Registers that get no line of a release: it is held against their releases all the same.
//!
//! A dry run, data on standard output and a job that wants no register leave no line, and a job in a folder below another one keeps a
//! register of its own. Whoever has the releases of the other register learns as much from both.

use super::chain::{Chain, ReleaseLog};
use super::compare::{earlier, input_record};
use super::entry::warnings;
use super::error::RegisterError;
use super::file::{FILE_NAME, Register};
use super::line::Record;
use super::temporal;
use paravent_assess::attack::AttackOptions;
use paravent_job::{InputSource, Job};
use paravent_prepare::study::{Study, StudyError};
use paravent_report::{EarlierRelease, HeldAgainst, Relation};
use paravent_tables::watch::Watch;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A register that a release is held against.
#[derive(Debug)]
pub(crate) struct Beside {
    folder: PathBuf,
    shown: String,
    chain: Chain,
    earlier: Vec<EarlierRelease>,
}

/// The registers that may know releases of the same people and get no line: the job's own and the one beside it, unless `written` is that,
/// the nearest one above the job's folder, and the one beside the table: a copy of the job in another folder is about the same people, and so is
/// a run with `register = "FILE"` that begins elsewhere.
pub(crate) fn others(job: &Job, written: Option<&Path>) -> Vec<PathBuf> {
    let folder = std::path::absolute(job.source.folder()).unwrap_or_else(|_| job.source.folder().to_owned());
    let own = job.register().unwrap_or_else(|| folder.clone());
    let mut found = Vec::new();
    if written.is_none() {
        found.push(Register::path(&own));
    }
    found.push(folder.join(FILE_NAME));
    found.extend(above(&folder));
    found.extend(beside_table(job, &folder));
    let known = written.map(Register::path);
    let is_same = |one: &Path, other: &Path| match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    };
    found.retain(|file| file.is_file() && !known.as_ref().is_some_and(|known| is_same(known, file)));
    let mut distinct: Vec<PathBuf> = Vec::new();
    for file in found {
        if !distinct.iter().any(|other| is_same(other, &file)) {
            distinct.push(file);
        }
    }
    distinct
}

/// Whether a folder is one owner's, and nobody else may write into it.
fn is_owned_by(folder: &Path, owner: u32) -> bool {
    const WRITABLE_BY_ALL: u32 = 0o002;
    fs::metadata(folder).is_ok_and(|about| about.uid() == owner && about.mode() & WRITABLE_BY_ALL == 0)
}

/// The register beside the job's table, where the table lies elsewhere.
fn beside_table(job: &Job, folder: &Path) -> Option<PathBuf> {
    let InputSource::File(table) = &job.input.source else { return None };
    let place = std::path::absolute(job.resolve(table)).ok()?;
    let place = place.parent().filter(|place| *place != folder)?;
    let owner = fs::metadata(folder).ok()?.uid();
    let file = place.join(FILE_NAME);
    (is_owned_by(place, owner) && file.is_file()).then_some(file)
}

/// The nearest register above a folder, as far as the folders are the same owner's and nobody else may write into them.
fn above(folder: &Path) -> Option<PathBuf> {
    let owner = fs::metadata(folder).ok()?.uid();
    for folder in folder.ancestors().skip(1) {
        if !is_owned_by(folder, owner) {
            return None;
        }
        let file = folder.join(FILE_NAME);
        if file.is_file() {
            return Some(file);
        }
    }
    None
}

impl Beside {
    /// Finds the releases of a register that share rows or people with a table. `None` for a register without releases.
    pub(crate) fn read<E: From<StudyError> + From<RegisterError>>(
        study: &Study,
        file: &Path,
        input: &str,
        watch: &dyn Watch,
    ) -> Result<Option<Beside>, E> {
        let chain = Register::sound(file)?;
        let Some(salt) = chain.salt().filter(|_| !chain.releases().is_empty()).cloned() else {
            return Ok(None);
        };
        let record = input_record(study, &salt, input.to_owned(), watch)?;
        let earlier = earlier(study, &chain, &salt, &record, "", watch)?;
        let shown = seen_from(study.job.source.folder(), file);
        Ok(Some(Beside { folder: Register::folder(file), shown, chain, earlier }))
    }

    /// Whether there is something to try.
    pub(crate) fn is_related(&self) -> bool {
        self.earlier.iter().any(|earlier| earlier.relation != Relation::Unknown)
    }

    /// Tries what somebody learns who has the earlier releases and the one that `target` names, whose data file has this digest.
    pub(crate) fn attack(&mut self, target: &AttackOptions, data: &str, watch: &dyn Watch) {
        for earlier in &mut self.earlier {
            let line = usize::try_from(earlier.sequence).ok().and_then(|at| self.chain.lines.get(at));
            if let Some(Record::Release(record)) = line.map(|line| &line.record)
                && earlier.relation == Relation::SameInput
                && record.data() == data
            {
                earlier.relation = Relation::SameRelease;
            }
        }
        temporal::attack_earlier(&self.folder, target, &self.chain, &mut self.earlier, watch);
    }

    /// What the user should know.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let named = format!("of the register {}", self.shown);
        warnings(&self.earlier).iter().map(|warning| warning.replace("of the register", &named)).collect()
    }

    /// What the report says.
    pub(crate) fn told(self) -> HeldAgainst {
        let releases = self.chain.releases().len() as u64;
        HeldAgainst { register: self.shown, releases, earlier: self.earlier }
    }
}

/// A file above or below a folder, as it is written there.
pub(crate) fn seen_from(folder: &Path, file: &Path) -> String {
    let absolute = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (folder, file) = (absolute(folder), absolute(file));
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..");
    let path: PathBuf = up
        .map(PathBuf::from)
        .chain(file.components().skip(common).map(|part| part.as_os_str().into()))
        .collect();
    path.to_string_lossy().into_owned()
}
