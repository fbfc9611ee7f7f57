//! A release that no job file describes, on its way into the register.

use super::related::input_record;
use super::{CodedTable, Related, SliceError, held_against};
use crate::register::{
    Criterion, InputRecord, JobRecord, Register, ReleaseLog, ReleaseRecord, chain_id, files, seen_from,
};
use paravent_job::{Job, Role};
use paravent_report::{RegisteredFacts, UNREGISTERED, UNREGISTERED_WARNING};
use paravent_tables::write::{Replace, Staging, Written};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is about to be released, and where.
pub(crate) struct Leaving<'a> {
    /// The register, or the folder it is in; `None` writes no line.
    pub(crate) register: Option<&'a Path>,
    /// The folder of the release.
    pub(crate) target: &'a Path,
    /// The table it was made of.
    pub(crate) table: &'a CodedTable,
    /// The columns that leave.
    pub(crate) columns: &'a [String],
    /// What is promised.
    pub(crate) criteria: Vec<(String, Value)>,
    /// Name and digest of the job file, where there is one.
    pub(crate) named: Option<&'a (String, String)>,
    /// The job.
    pub(crate) job: Option<&'a Job>,
}

/// What earlier releases of the same rows or people mean for one that is about to leave.
#[derive(Debug)]
pub(crate) struct HeldAgainst {
    /// Register by register, that of the line first.
    related: Vec<Related>,
    /// Whether no register gets a line.
    is_unregistered: bool,
}

impl HeldAgainst {
    /// Finds them as [`PlainEntry::prepare`] does, and writes nothing.
    pub(crate) fn look(leaving: &Leaving<'_>) -> Result<HeldAgainst, SliceError> {
        let own = match leaving.register.map(Register::path).filter(|file| file.is_file()) {
            None => None,
            Some(file) => {
                let chain = Register::sound(&file)?;
                let input = |salt| input_record(salt, leaving.table, leaving.columns, leaving.job);
                let input = chain.salt().map(input);
                input.map(|(input, kinds)| {
                    Related::in_chain(String::new(), &chain, (&input, &kinds), leaving.job)
                })
            }
        };
        let others = elsewhere(leaving)?;
        let related = own.into_iter().chain(others).collect();
        Ok(HeldAgainst { related, is_unregistered: leaving.register.is_none() })
    }

    /// What the user should know of earlier releases.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let unregistered = self.is_unregistered.then(|| UNREGISTERED_WARNING.to_owned());
        self.related.iter().flat_map(Related::warnings).chain(unregistered).collect()
    }

    /// Why the verdict is not green.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let unregistered = self.is_unregistered.then(|| UNREGISTERED.to_owned());
        self.related.iter().filter_map(Related::doubt).chain(unregistered).collect()
    }
}

/// Earlier releases in registers that get no line.
fn elsewhere(leaving: &Leaving<'_>) -> Result<Vec<Related>, SliceError> {
    let folder = leaving.target.parent().unwrap_or(Path::new("."));
    Ok(held_against(leaving.table, leaving.columns, leaving.job, (folder, leaving.register))?)
}

/// A release and the registers that know the same rows or people.
#[derive(Debug)]
pub(crate) struct PlainEntry {
    /// The register that gets the line.
    line: Option<PlainLine>,
    held: HeldAgainst,
}

/// A locked register, and the line that is about to be added to it.
#[derive(Debug)]
struct PlainLine {
    register: Register,
    target: PathBuf,
    input: InputRecord,
    quasi_identifiers: Vec<String>,
    job: JobRecord,
    criteria: Vec<Criterion>,
}

impl PlainEntry {
    /// Locks the register, if there is to be a line, and finds the earlier releases of the same rows.
    pub(crate) fn prepare(leaving: Leaving<'_>) -> Result<PlainEntry, SliceError> {
        let mut related = elsewhere(&leaving)?;
        let Leaving { register, target, table, columns, criteria, named, job } = leaving;
        let Some(place) = register else {
            return Ok(PlainEntry { line: None, held: HeldAgainst { related, is_unregistered: true } });
        };
        let register = Register::lock_for(place, Some(target))?;
        let (input, kinds) = input_record(register.salt(), table, columns, job);
        related.insert(0, Related::in_chain(String::new(), register.chain(), (&input, &kinds), job));
        let (file, sha256) = named.cloned().unwrap_or_default();
        let quasi = job.into_iter().flat_map(|job| job.with_role(Role::QuasiIdentifier));
        let line = PlainLine {
            target: target.to_owned(),
            input,
            quasi_identifiers: quasi.map(|column| column.name.clone()).collect(),
            job: JobRecord { file, sha256 },
            criteria: criteria.into_iter().map(|(model, required)| Criterion { model, required }).collect(),
            register,
        };
        Ok(PlainEntry { line: Some(line), held: HeldAgainst { related, is_unregistered: false } })
    }

    /// What the report says of the register.
    pub(crate) fn facts(&self) -> Option<RegisteredFacts> {
        let line = self.line.as_ref()?;
        let chain = line.register.chain();
        Some(RegisteredFacts {
            id: chain_id(chain),
            sequence: line.register.next(),
            releases_before: chain.releases().len() as u64,
            previous: chain.head.clone(),
        })
    }

    /// What the user should know of earlier releases.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.held.warnings()
    }

    /// Why the verdict is not green.
    pub(crate) fn doubts(&self) -> Vec<String> {
        self.held.doubts()
    }

    /// Writes the line and lets the release appear; takes the line back if it cannot.
    pub(crate) fn publish(
        self,
        staging: Staging,
        replace: Replace,
        (data, written): (&str, &Written),
    ) -> Result<(), SliceError> {
        let Some(line) = self.line else { return Ok(staging.publish(replace)?) };
        let record = ReleaseRecord {
            release: seen_from(&Register::folder(line.register.file()), &line.target),
            files: files(staging.path(), BTreeMap::from([(data.to_owned(), written.sha256.clone())]))?,
            private: files(staging.private(), BTreeMap::new())?,
            input: line.input,
            quasi_identifiers: line.quasi_identifiers,
            job: line.job,
            criteria: line.criteria,
            rows: written.rows,
            appeared: None,
        };
        line.register.publish(record, staging, replace)
    }
}
