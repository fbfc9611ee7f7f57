//! Making the release, and looking at it again.

use super::command;
use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{FileView, ReleaseView, VerificationCheck, VerificationView};
use paravent_job::{Job, Role};
use paravent_pipeline::choose::Levels;
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::{Phase, Watch};
use paravent_tables::write::Replace;
use paravent_verify::{Outcome, verify};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Makes the release with the call that `paravent anonymize` makes.
pub(super) fn release(
    project: &Project,
    levels: Option<&[u8]>,
    replace: bool,
    run: &Run,
) -> Result<ReleaseView, Fault> {
    let job = project.job()?;
    let chosen = levels.map(|levels| chosen(&job, levels)).transpose()?.unwrap_or_default();
    let options = RunOptions {
        replace: if replace { Replace::Force } else { Replace::Refuse },
        input: project.data(),
        levels: chosen.clone(),
        ..RunOptions::default()
    };
    let finished = anonymize(project.job_file(), &options, run)?;
    run.begin(Phase::Verifying);
    view(project, &job, json!(finished.document), &chosen)
}

/// The levels by the names of the quasi-identifiers.
fn chosen(job: &Job, levels: &[u8]) -> Result<Levels, Fault> {
    let names: Vec<&str> =
        job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.as_str()).collect();
    match names.len() == levels.len() {
        true => Ok(Levels(names.into_iter().map(str::to_owned).zip(levels.iter().copied()).collect())),
        false => Err(Fault::request("the job has no such transformation")),
    }
}

/// The release that is there, verified from its files.
pub(super) fn verify_again(project: &Project) -> Result<ReleaseView, Fault> {
    let job = project.job()?;
    let release = job.resolve(&job.output.path);
    if !release.join("manifest.json").exists() {
        return Err(Fault::conflict("there is no release yet"));
    }
    let mut private = release.into_os_string();
    private.push(".private");
    let report = fs::read(Path::new(&private).join("report.json")).ok();
    let document = report.and_then(|report| serde_json::from_slice(&report).ok()).unwrap_or(Value::Null);
    view(project, &job, document, &Levels::default())
}

fn view(project: &Project, job: &Job, document: Value, levels: &Levels) -> Result<ReleaseView, Fault> {
    let release = job.resolve(&job.output.path);
    let verification = verify(&release)
        .map_err(|error| Fault::input_output(format!("the release cannot be verified: {error}")))?;
    let told = verification.told();
    Ok(ReleaseView {
        path: job.output.path.display().to_string(),
        document,
        files: files(&release),
        command: command(project, levels),
        verification: VerificationView {
            holds: verification.holds(),
            verdict: told.verdict,
            checks: told
                .checks
                .into_iter()
                .map(|(outcome, about, detail)| VerificationCheck {
                    held: outcome == Outcome::Held,
                    about,
                    detail,
                })
                .collect(),
            trusted: told.trusted,
            not_checked: told.not_checked.into_iter().map(|(about, why)| format!("{about}: {why}")).collect(),
            signer: verification.signer,
        },
    })
}

/// The files that may be handed out.
fn files(release: &Path) -> Vec<FileView> {
    let entries = fs::read_dir(release).into_iter().flatten().flatten();
    let mut files: Vec<FileView> = entries
        .filter_map(|entry| {
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(FileView { name: entry.file_name().into_string().ok()?, bytes: metadata.len() })
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The command that makes the same release again, in the project folder.
fn command(project: &Project, levels: &Levels) -> String {
    let job =
        project.job_file().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let node = levels.0.iter().map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(",");
    let dropped = project.dropped();
    let mut parts = vec!["paravent", "anonymize", &job];
    if let Some(name) = &dropped {
        parts.extend(["--input", name]);
    }
    if !node.is_empty() {
        parts.extend(["--node", &node]);
    }
    command::line(parts)
}

/// Where a file of the release lies. The name must be one of those that the release has.
///
/// # Errors
/// If there is no release, or no such file in it.
pub fn file(project: &Project, name: &str) -> Result<PathBuf, Fault> {
    let job = project.job()?;
    let release = job.resolve(&job.output.path);
    match files(&release).iter().any(|file| file.name == name) {
        true => Ok(release.join(name)),
        false => Err(Fault::absent("the release has no such file")),
    }
}
