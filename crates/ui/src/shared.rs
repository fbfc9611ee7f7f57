//! What the addresses share.

use crate::project::Project;
use crate::runs::Runs;
use std::sync::Arc;

/// The project, its runs, and the largest table that can be dropped.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) project: Arc<Project>,
    pub(crate) runs: Runs,
    pub(crate) data_limit: u64,
}
