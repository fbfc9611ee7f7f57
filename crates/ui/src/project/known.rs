//! What is known of the table that is looked at.

use super::{Project, lock};
use crate::fault::Fault;
use paravent_assess::init::ColumnProposal;
use paravent_job::InputSource;
use paravent_prepare::study::{Study, refuse};
use paravent_tables::watch::Watch;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// What was read of the table, so that it is not read again for every change of the job.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The counted table of the last job.
    study: Mutex<Option<(StudyKey, Arc<Study>)>>,
    /// What the columns seem to be.
    proposed: Mutex<Option<(FileState, Arc<Vec<ColumnProposal>>)>>,
}

impl Known {
    /// The table is another one. What its columns seem to be is kept with the file's name and state.
    pub(super) fn forget(&self) {
        *lock(&self.study) = None;
    }
}

/// What a counted table depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StudyKey {
    job: String,
    data: Option<FileState>,
}

/// A file as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

impl FileState {
    fn of(path: &Path) -> Option<FileState> {
        let (path, metadata) = (path.canonicalize().ok()?, fs::metadata(path).ok()?);
        Some(FileState { path, bytes: metadata.len(), changed: metadata.modified().ok() })
    }
}

impl Project {
    /// What the columns of a table seem to be, if it was looked at and has not changed since.
    pub fn known_columns(&self, path: &Path) -> Option<Arc<Vec<ColumnProposal>>> {
        let now = FileState::of(path)?;
        lock(&self.known.proposed)
            .as_ref()
            .filter(|(known, _)| *known == now)
            .map(|(_, columns)| columns.clone())
    }

    /// Keeps what the columns of a table seem to be: finding it out reads the whole table.
    pub fn remember_columns(&self, path: &Path, columns: Vec<ColumnProposal>) -> Arc<Vec<ColumnProposal>> {
        let columns = Arc::new(columns);
        *lock(&self.known.proposed) = FileState::of(path).map(|state| (state, columns.clone()));
        columns
    }

    /// The job over its counted table, and whether it was counted before: it is counted once, as long as the table stays and no job asks
    /// for other columns.
    ///
    /// # Errors
    /// If the job cannot be prepared.
    pub fn study(&self, watch: &dyn Watch) -> Result<(Arc<Study>, bool), Fault> {
        let job = self.job_with_data()?;
        refuse(&job)?;
        let file = match &job.input.source {
            InputSource::File(path) => Some(job.resolve(path)),
            _ => None,
        };
        let key = StudyKey { job: job.to_toml(), data: file.and_then(|file| FileState::of(&file)) };
        let before = lock(&self.known.study).clone();
        if let Some((known, study)) = &before
            && *known == key
        {
            return Ok((study.clone(), true));
        }
        // Another threshold, hierarchy or metric needs no other counts.
        let again =
            before.filter(|(known, _)| known.data == key.data).and_then(|(_, study)| study.again(&job));
        let (study, known) = match again {
            Some(study) => (study?, true),
            None => (Study::prepare(job, None, false, watch)?, false),
        };
        let study = Arc::new(study);
        *lock(&self.known.study) = Some((key, study.clone()));
        Ok((study, known))
    }
}
