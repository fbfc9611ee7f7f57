//! Tables and releases that are in memory, under the names by which others ask for them.

use super::{LoadError, ReleaseTable, TableSource, load_held_release, load_release};
use paravent_job::{Job, Problems};
use paravent_tables::read::{Input, Table};
use paravent_tables::watch::Watch;
use paravent_tables::write::HeldFiles;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is in memory. Whatever is not here is a file.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    /// Tables by name.
    pub tables: BTreeMap<PathBuf, Table>,
    /// Releases by name.
    pub releases: BTreeMap<PathBuf, HeldFiles>,
    /// The job, instead of a job file.
    pub job: Option<Job>,
}

impl InMemory {
    /// Adds a table and gives back its name.
    pub fn table(&mut self, name: &str, table: Table) -> PathBuf {
        self.tables.insert(PathBuf::from(name), table.named(name));
        PathBuf::from(name)
    }

    /// Adds a release and gives back its name.
    pub fn release(&mut self, name: &str, files: HeldFiles) -> PathBuf {
        self.releases.insert(PathBuf::from(name), files);
        PathBuf::from(name)
    }

    /// The table of that name, or a file; with a job, stored as it says.
    pub(crate) fn source<'a>(&self, path: &'a Path, job: Option<&'a Job>) -> TableSource<'a> {
        match (self.tables.get(path), job) {
            (Some(table), _) => TableSource::Held(Box::new(Input::from_table(table.clone()))),
            (None, Some(job)) => TableSource::AsInJob(path, job),
            (None, None) => TableSource::File(path),
        }
    }

    /// Whether a release of that name is in memory, or a directory is there.
    pub(crate) fn is_release(&self, path: &Path) -> bool {
        self.releases.contains_key(path) || (!self.tables.contains_key(path) && path.is_dir())
    }

    /// Whether there is anything of that name.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.releases.contains_key(path) || self.tables.contains_key(path) || path.exists()
    }

    /// Reads the release of that name.
    pub(crate) fn load_release(&self, path: &Path, watch: &dyn Watch) -> Result<ReleaseTable, LoadError> {
        match self.releases.get(path) {
            Some(files) => load_held_release(path, files, watch),
            None => load_release(path, watch),
        }
    }

    /// The bytes of a release's manifest.
    pub(crate) fn manifest(&self, path: &Path) -> Option<Vec<u8>> {
        match self.releases.get(path) {
            Some(files) => files.documents.get("manifest.json").cloned(),
            None => std::fs::read(path.join("manifest.json")).ok(),
        }
    }

    /// The job in memory, else the one in the file.
    pub(crate) fn job(&self, file: Option<&Path>) -> Result<Option<Job>, Problems> {
        match &self.job {
            Some(job) => Ok(Some(job.clone())),
            None => file.map(Job::load).transpose(),
        }
    }
}
