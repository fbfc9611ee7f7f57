//! The register of releases.

use crate::fault::Fault;
use crate::project::Project;
use crate::wire::{RegisterLine, RegisterView, TogetherView};
use paravent_pipeline::register::{Register, ReleaseLog, ReleaseRecord, ReleaseState, verify};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn place(project: &Project) -> Result<Option<PathBuf>, Fault> {
    Ok(project.job()?.register())
}

/// Every release with what became of it.
pub(super) fn view(project: &Project) -> Result<RegisterView, Fault> {
    let none = RegisterView { exists: false, holds: true, broken: None, releases: Vec::new() };
    let Some(place) = place(project)? else { return Ok(none) };
    if !Register::path(&place).exists() {
        return Ok(none);
    }
    let chain = Register::read(&place)?;
    let verified = verify(&place)?;
    let releases = chain.releases().into_iter().map(|(line, release)| {
        let finding = verified.releases.iter().find(|finding| finding.sequence == line.sequence);
        let promise = |criterion: &paravent_pipeline::register::Criterion| {
            let parameters = criterion.required.as_object().into_iter().flatten();
            let parameters: Vec<String> =
                parameters.map(|(key, value)| format!("{key} = {}", plain(value))).collect();
            format!("{} ({})", criterion.model, parameters.join(", "))
        };
        RegisterLine {
            sequence: line.sequence,
            time: line.time.clone(),
            release: release.release.clone(),
            state: finding.map_or("", |finding| finding.state.name()).to_owned(),
            detail: finding.map_or_else(String::new, |finding| finding.detail.clone()),
            alarm: finding.is_some_and(|finding| {
                matches!(finding.state, ReleaseState::Changed | ReleaseState::PutBack)
            }),
            rows: release.rows,
            input_rows: release.input.rows,
            promised: release.criteria.iter().map(promise).collect(),
            together: match finding {
                Some(finding) if finding.state == ReleaseState::InPlace => {
                    together(&Register::folder(&place), release, line.sequence)
                }
                _ => Vec::new(),
            },
        }
    });
    let unregistered = verified.unregistered.iter().map(|broken| broken.what.clone());
    let broken = verified.broken.iter().map(|broken| format!("line {}: {}", broken.line, broken.what));
    let broken: Vec<String> = broken.chain(unregistered).collect();
    Ok(RegisterView {
        exists: true,
        holds: verified.holds,
        broken: (!broken.is_empty()).then(|| broken.join("; ")),
        releases: releases.collect(),
    })
}

/// From worst to best.
const SEVERITIES: [&str; 5] = ["broken", "not-compared", "residual", "nothing-found", "covered"];

/// What the private report of a release says of earlier ones. Its files are as they were written.
fn together(folder: &Path, release: &ReleaseRecord, sequence: u64) -> Vec<TogetherView> {
    let report = folder.join(format!("{}.private", release.release)).join("report.json");
    let report: Value =
        fs::read(report).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    let register = &report["register"];
    if register["sequence"].as_u64() != Some(sequence) {
        return Vec::new();
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let earlier = register["earlier"].as_array().into_iter().flatten().map(|earlier| {
        let attacks = earlier["attacks"].as_array().cloned().unwrap_or_default();
        let found = |word: &&&str| attacks.iter().any(|attack| attack["severity"] == **word);
        TogetherView {
            sequence: earlier["sequence"].as_u64().unwrap_or_default(),
            rows: earlier["shared"]["rows"].as_u64(),
            severity: SEVERITIES.iter().find(found).map(|word| (*word).to_owned()),
            results: attacks.iter().filter_map(|attack| text(&attack["result"])).collect(),
        }
    });
    earlier.collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Says that a release was never handed out, or was taken back.
///
/// # Errors
/// If there is no such release, or the register cannot be continued.
pub fn withdraw(project: &Project, sequence: u64, reason: Option<String>) -> Result<(), Fault> {
    match place(project)? {
        Some(place) => Ok(Register::withdraw(&place, sequence, reason)?),
        None => Err(Fault::request("the job keeps no register")),
    }
}
