//! A first job for the table.

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::ProposalView;
use paravent_assess::init::{InitOptions, propose_watched};
use paravent_job::InputSource;
use paravent_tables::read::{Input, ReadOptions};
use std::path::PathBuf;

/// Looks at the table and writes the job file.
pub(super) fn propose(project: &Project, k: u32, run: &Run) -> Result<ProposalView, Fault> {
    if k < 2 {
        return Err(Fault::request("a class must have at least 2 rows"));
    }
    let path = match project.data() {
        Some(path) => path,
        None => match project.job()?.input.source {
            InputSource::File(ref path) => project.job()?.resolve(path),
            _ => return Err(Fault::request("the job reads no file")),
        },
    };
    let input = Input::new(ReadOptions::new(&path))?;
    let options = InitOptions { job_file: project.job_file().to_owned(), k, ..InitOptions::default() };
    let mut proposal = propose_watched(&input, &options, run)?;
    project.remember_columns(&path, proposal.columns);
    match project.dropped() {
        // The file is gone when the program ends; whoever has the table knows it by this name.
        Some(name) => proposal.job.input.source = InputSource::File(PathBuf::from(name)),
        None => project.forget_data(),
    }
    project.adopt(proposal.job.to_toml())?;
    Ok(ProposalView { notes: proposal.notes })
}
