//! Utility, risk figures and attacks, as the command line has them.

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use paravent_assess::attack::{AttackOptions, attack, document};
use paravent_assess::risk::{RiskRequest, assess_risk};
use paravent_assess::utility::utility;
use paravent_assess::{TableSource, load_release};
use paravent_job::{InputSource, Job};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A secret with this share or more in a class is told.
const THRESHOLD: f64 = 0.8;
/// Tries of each game.
const ATTEMPTS: usize = 2000;
/// Chance that repeats itself: the same release gives the same figures again.
const SEED: u64 = 1;

fn table(job: &Job) -> Result<PathBuf, Fault> {
    match &job.input.source {
        InputSource::File(path) => Ok(job.resolve(path)),
        _ => Err(Fault::request("the job reads no file")),
    }
}

fn release(job: &Job) -> Result<PathBuf, Fault> {
    let release = job.resolve(&job.output.path);
    match release.join("manifest.json").exists() {
        true => Ok(release),
        false => Err(Fault::conflict("there is no release yet").advise("Make the release first")),
    }
}

pub(super) fn risk_of_table(project: &Project, run: &Run) -> Result<Value, Fault> {
    risk(project, &table(&project.job_with_data()?)?, run)
}

pub(super) fn risk_of_release(project: &Project, run: &Run) -> Result<Value, Fault> {
    risk(project, &release(&project.job()?)?, run)
}

fn risk(project: &Project, path: &Path, run: &Run) -> Result<Value, Fault> {
    let job = (!path.is_dir()).then(|| project.job_file().to_owned());
    run.phase("measuring");
    let measured = assess_risk(path, &RiskRequest { job, ..RiskRequest::default() }, run)?;
    serde_json::to_value(measured).map_err(|_| Fault::internal())
}

/// What the release is still good for, beside its table.
pub(super) fn utility_of_release(
    project: &Project,
    target: Option<&String>,
    run: &Run,
) -> Result<Value, Fault> {
    let job = project.job_with_data()?;
    run.phase("measuring");
    let released = load_release(&release(&job)?, run)?;
    let table = table(&job)?;
    let original = TableSource::AsInJob(&table, &job);
    let facts = utility(&released, &original, target.map(std::slice::from_ref), usize::MAX, run)?;
    serde_json::to_value(facts).map_err(|_| Fault::internal())
}

/// What an attacker gets out of the release who has the release alone; the original is there to judge by.
pub(super) fn attacks(project: &Project, run: &Run) -> Result<Value, Fault> {
    let job = project.job_with_data()?;
    run.phase("attacking");
    let options = AttackOptions {
        release: Some(release(&job)?),
        original: Some(table(&job)?),
        job: Some(project.job_file().to_owned()),
        threshold: THRESHOLD,
        attempts: ATTEMPTS,
        seed: SEED,
        ..AttackOptions::default()
    };
    Ok(document(&attack(&options, run)?))
}
