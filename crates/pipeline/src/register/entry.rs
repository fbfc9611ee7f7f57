//! A release on its way into the register.

use super::chain::ReleaseLog;
use super::compare::{earlier, input_record};
use super::file::Register;
use super::line::{Criterion, InputRecord, JobRecord, ReleaseRecord};
use super::state::chain_id;
use super::witness::seen_from_beside;
use super::{RegisterError, temporal};
use paravent_assess::attack::AttackOptions;
use paravent_evidence::attack::Severity;
use paravent_job::{Model, Role};
use paravent_prepare::study::{Exactness, Study, StudyError, required};
use paravent_report::RegisterFacts;
use paravent_report::{EarlierRelease, Relation};
use paravent_tables::digest::file_digest;
use paravent_tables::watch::Watch;
use paravent_tables::write::{Replace, Staging, WriteError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::Vacant;
use std::fs;
use std::path::{Path, PathBuf};

/// What is known of a release before its reports are written.
#[derive(Debug)]
pub struct Announced<'a> {
    /// Digest of the input.
    pub input: &'a str,
    /// Digest of the job file.
    pub job: &'a str,
    /// Name and digest of the data file.
    pub data: (&'a str, &'a str),
}

/// A locked register, and the line that is about to be added to it.
#[derive(Debug)]
pub struct Entry {
    register: Register,
    target: PathBuf,
    input: InputRecord,
    quasi_identifiers: Vec<String>,
    job: JobRecord,
    criteria: Vec<Criterion>,
    data: (String, String),
    earlier: Vec<EarlierRelease>,
}

impl Entry {
    /// Locks the register, finds the earlier releases of the same rows, and tries what somebody learns who has them as well.
    pub fn prepare<E: From<StudyError> + From<RegisterError>>(
        study: &Study,
        (place, target): (&Path, &Path),
        staging: &Staging,
        made: &Announced<'_>,
        watch: &dyn Watch,
    ) -> Result<Entry, E> {
        let mut entry = Entry::announce::<E>(study, (place, target), made, watch)?;
        let folder = Register::folder(place);
        let target = AttackOptions { release: Some(staging.path().to_owned()), ..AttackOptions::default() };
        temporal::attack_earlier(&folder, &target, entry.register.chain(), &mut entry.earlier, watch);
        Ok(entry)
    }

    /// The same without trying anything: for releases that others wait for.
    pub fn announce<E: From<StudyError> + From<RegisterError>>(
        study: &Study,
        (place, target): (&Path, &Path),
        made: &Announced<'_>,
        watch: &dyn Watch,
    ) -> Result<Entry, E> {
        let register = Register::lock_for(place, Some(target))?;
        let input = input_record(study, register.salt(), made.input.to_owned(), watch)?;
        let mut earlier = earlier(study, register.chain(), register.salt(), &input, made.data.1, watch)?;
        let untried = "use paravent attack --previous";
        earlier.iter_mut().for_each(|earlier| earlier.not_attacked = Some(untried.to_owned()));
        let job = &study.job;
        let name = job.source.file().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Entry {
            register,
            target: target.to_owned(),
            input,
            quasi_identifiers: job
                .with_role(Role::QuasiIdentifier)
                .map(|column| column.name.clone())
                .collect(),
            job: JobRecord { file: name, sha256: made.job.to_owned() },
            criteria: job.privacy.models.iter().map(criterion).collect(),
            data: (made.data.0.to_owned(), made.data.1.to_owned()),
            earlier,
        })
    }

    /// Promises other than those of the job: what several parties agreed on.
    pub fn promising(mut self, models: &[Model]) -> Entry {
        self.criteria = models.iter().map(criterion).collect();
        self
    }

    /// What the report says of the register.
    pub fn facts(&self) -> RegisterFacts {
        let chain = self.register.chain();
        RegisterFacts {
            id: chain_id(chain),
            file: seen_from_beside(&self.target, self.register.file()),
            sequence: self.register.next(),
            releases_before: chain.releases().len() as u64,
            previous: chain.head.clone(),
            earlier: self.earlier.clone(),
        }
    }

    /// What the user should know of earlier releases. Pages travel: no places, no times.
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.earlier)
    }

    /// Whether the register begins with this release.
    pub fn is_first(&self) -> bool {
        self.register.next() <= 1
    }

    /// Writes the line and lets the release appear; takes the line back if it cannot.
    pub fn publish<E: From<WriteError> + From<RegisterError>>(
        self,
        staging: Staging,
        replace: Replace,
        rows: u64,
    ) -> Result<(), E> {
        // A release that is a table has no data file.
        let is_file = staging.path().join(&self.data.0).exists();
        let known = Some(self.data.clone()).filter(|_| is_file).into_iter().collect();
        let record = ReleaseRecord {
            release: seen_from(&Register::folder(self.register.file()), &self.target),
            files: files(staging.path(), known)?,
            private: files(staging.private(), BTreeMap::new())?,
            input: self.input,
            quasi_identifiers: self.quasi_identifiers,
            job: self.job,
            criteria: self.criteria,
            rows,
            appeared: None,
        };
        self.register.publish(record, staging, replace)
    }
}

/// What the user should know of earlier releases.
pub(super) fn warnings(earlier: &[EarlierRelease]) -> Vec<String> {
    let mut warnings: Vec<String> = earlier.iter().filter_map(warning).collect();
    warnings.extend(untried(earlier));
    warnings
}

fn criterion(model: &Model) -> Criterion {
    Criterion {
        model: model.name().name().to_owned(),
        required: without_values(required(model, Exactness::Text)),
    }
}

/// The digests of all files of a folder; some are known.
pub(crate) fn files(
    directory: &Path,
    known: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, RegisterError> {
    let at = |source| RegisterError::Io { path: directory.to_owned(), source };
    let mut files = known;
    for entry in fs::read_dir(directory).map_err(at)? {
        let entry = entry.map_err(at)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Vacant(place) = files.entry(name) {
            place.insert(file_digest(&entry.path()).map_err(at)?);
        }
    }
    Ok(files)
}

fn warning(earlier: &EarlierRelease) -> Option<String> {
    let rows = match (earlier.relation, earlier.shared) {
        (Relation::SameRelease | Relation::Unknown, _) => return None,
        (Relation::SameInput, _) => "this table was released before".to_owned(),
        (Relation::Overlap, Some(shared)) => {
            format!(
                "about {:.0} % of these rows look like rows that were released before",
                (shared.share * 100.0).max(1.0)
            )
        }
        (Relation::Overlap, None) => "rows of this table were released before".to_owned(),
        (Relation::SamePeople, shared) => {
            let share = shared.map_or(1.0, |shared| (shared.share * 100.0).max(1.0));
            format!("about {share:.0} % of these people were in a table that was released before")
        }
    };
    let severity = earlier.attacks.iter().map(|outcome| outcome.severity).max();
    let learnt = match severity {
        None => return None,
        Some(Severity::Covered) => "both together tell no more than was promised".to_owned(),
        Some(Severity::NothingFound) => "both together tell nothing worth telling".to_owned(),
        Some(worst) => {
            let result = earlier.attacks.iter().filter(|outcome| outcome.severity == worst);
            let results: Vec<&str> = result.map(|outcome| outcome.result.as_str()).collect();
            match worst {
                Severity::NotCompared => format!("what both tell together is UNKNOWN: {}", results.join(" ")),
                Severity::Broken => {
                    format!("both together tell MORE THAN WAS PROMISED: {}", results.join(" "))
                }
                _ => format!("both together tell something: {}", results.join(" ")),
            }
        }
    };
    Some(format!("{rows}, as release {} of the register; {learnt}", earlier.sequence))
}

/// One warning for all releases that could not be tried for the same reason: there may be very many.
fn untried(earlier: &[EarlierRelease]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for earlier in earlier.iter().filter(|earlier| earlier.attacks.is_empty()) {
        if !matches!(earlier.relation, Relation::SameRelease | Relation::Unknown) {
            let reason = earlier.not_attacked.as_deref().unwrap_or("no attack fits");
            reasons.entry(reason).or_default().push(earlier.sequence);
        }
    }
    let told = reasons.into_iter().map(|(reason, mut sequences)| {
        sequences.sort_unstable();
        let named: Vec<String> = sequences.iter().take(MOST_NAMED).map(u64::to_string).collect();
        let more = sequences.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(
            "these rows or people were released before, as release {}{more} of the register; what the releases tell together could \
             not be tried ({reason}). Withdraw what was never handed out: paravent register withdraw NUMBER",
            named.join(", ")
        )
    });
    told.collect()
}

/// Releases that a warning names.
const MOST_NAMED: usize = 10;

/// Parameters without lists of cells.
fn without_values(mut required: Value) -> Value {
    if let Some(object) = required.as_object_mut() {
        object.retain(|key, _| key != "allowed" && key != "protected");
    }
    required
}

/// A path as it is seen from a folder, if it is inside.
pub(crate) fn seen_from(folder: &Path, target: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, target) = (absolute(folder), absolute(target));
    target.strip_prefix(&folder).unwrap_or(&target).to_string_lossy().into_owned()
}
