//! What is known about columns: roles, types and hierarchies, from a job file.

use paravent_pipeline::job::{Attribute, Job, Problems, Role};
use std::path::Path;

/// Roles and hierarchies by column name, for every relation of a session.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    job: Option<Job>,
}

impl Catalog {
    /// Knows nothing: no roles, no hierarchies.
    pub fn empty() -> Catalog {
        Catalog::default()
    }

    /// What a job file says about its attributes.
    pub fn of_job(job: Job) -> Catalog {
        Catalog { job: Some(job) }
    }

    /// The same, read from a file.
    pub fn load(path: &Path) -> Result<Catalog, Problems> {
        Ok(Catalog::of_job(Job::load(path)?))
    }

    /// The job behind it.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// What is known about a column.
    pub fn attribute(&self, column: &str) -> Option<&Attribute> {
        self.job.as_ref()?.attribute(column).map(|(_, attribute)| attribute)
    }

    /// Names of the columns with that role, in job order.
    pub fn with_role(&self, role: Role) -> Vec<&str> {
        let attributes = self.job.iter().flat_map(|job| job.with_role(role));
        attributes.map(|attribute| attribute.name.as_str()).collect()
    }
}
