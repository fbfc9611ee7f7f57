//! What a party keeps that does not hold the release: a record of the run, and a line in its register.

use super::Prepared;
use crate::JointError;
use paravent_pipeline::files::{pretty, put};
use paravent_pipeline::register::{Announced, Entry};
use paravent_pipeline::run::RunError;
use paravent_prepare::study::Study;
use paravent_report::{FederationFacts, Lang, ParticipationDocument, PromisedModel, render_participation};
use paravent_tables::digest::{file_digest, sha256};
use paravent_tables::watch::Unwatched;
use paravent_tables::write::{Replace, Staging};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Digits of the transcript in the name of a record's folder.
const NAMED_BY: usize = 12;

/// Writes the page, the document and the federation file as it was approved into a folder of their own. The line is about this party's rows:
/// whoever releases them again is told that they were released before.
pub(super) fn record(
    prepared: &Prepared,
    base: &Path,
    federation: FederationFacts,
) -> Result<(PathBuf, Value), JointError> {
    let failed = |error: RunError| JointError::File {
        message: format!("the run ended well, but its record could not be written: {error}"),
        advice: Some(format!(
            "The release is at {}; keep what this program printed",
            prepared.agreement.receiver
        )),
    };
    write(prepared, base, federation).map_err(failed)
}

fn write(
    prepared: &Prepared,
    base: &Path,
    federation: FederationFacts,
) -> Result<(PathBuf, Value), RunError> {
    let named: String = federation.transcript.chars().take(NAMED_BY).collect();
    let mut place = base.as_os_str().to_owned();
    place.push(format!(".joint-{named}"));
    let place = PathBuf::from(place);
    let agreement = &prepared.agreement;
    let models = &agreement.terms.privacy.models;
    let mut document = ParticipationDocument {
        paravent: env!("CARGO_PKG_VERSION"),
        agreement_sha256: agreement.digest_text(),
        rows: prepared.rows().map(|rows| rows as u64),
        privacy: models.iter().map(|model| PromisedModel { model: model.name().name() }).collect(),
        federation,
        register: None,
        warnings: None,
    };
    let lang = prepared.study().map_or_else(Lang::default, |study| study.job.output.lang);
    let staging = Staging::beside(&place)?;
    let text = agreement.to_toml();
    put(&staging, "federation.toml", text.as_bytes())?;
    let entry = match prepared.study() {
        Some(study) => entry(study, &place, &sha256(text.as_bytes()))?,
        None => None,
    };
    let entry = entry.map(|entry| entry.promising(models));
    if let Some(entry) = &entry {
        document.register = Some(entry.facts());
        document.warnings = Some(entry.warnings());
    }
    put(&staging, "report.json", &pretty(&document))?;
    put(&staging, "report.html", render_participation(&document, lang).as_bytes())?;
    match entry {
        Some(entry) => {
            entry.publish::<RunError>(staging, Replace::Refuse, prepared.rows().unwrap_or_default() as u64)?
        }
        None => staging.publish(Replace::Refuse)?,
    }
    Ok((place, json!(document)))
}

fn entry(study: &Study, place: &Path, agreement: &str) -> Result<Option<Entry>, RunError> {
    let Some(register) = study.job.register() else { return Ok(None) };
    let input = study.input.digest()?;
    let job = file_digest(study.job.source.file()).unwrap_or_default();
    let made = Announced { input: &input, job: &job, data: ("federation.toml", agreement) };
    Entry::announce::<RunError>(study, (&register, place), &made, &Unwatched).map(Some)
}
