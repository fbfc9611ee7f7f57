//! Privacy models in arguments, and those of the job.

use super::call::Call;
use super::function::Known;
use super::wording::problem;
use datafusion::common::{Column, DFSchema, Result};
use paravent_job::{Job, Model};
use std::fmt::Write;
use std::path::Path;

/// Reads models as a job file has them. Every column that is not a quasi-identifier counts as sensitive.
pub(super) fn read(
    place: &str,
    text: &str,
    schema: &DFSchema,
    quasi: &[Column],
    known: &Known<'_>,
) -> Result<Vec<Model>> {
    let mut document = String::from("version = 1\ninput.path = \"relation.csv\"\nattributes = [\n");
    for column in schema.columns() {
        let role = if quasi.contains(&column) { "quasi-identifier" } else { "sensitive" };
        // Only whether there is a hierarchy matters to the models.
        let placed =
            known.catalog.attribute(&column.name).is_some_and(|attribute| attribute.hierarchy.is_some());
        let hierarchy = if placed { ", hierarchy = { redact = { from = \"right\" } }" } else { "" };
        let _ = writeln!(
            document,
            "{{ name = {}, role = \"{role}\"{hierarchy} }},",
            serde_json::json!(column.name)
        );
    }
    let _ = writeln!(document, "]\nprivacy.models = {text}");
    let job = Job::parse(&document, Path::new("models")).map_err(|problems| {
        let told = problems.iter().map(|one| match (&one.key, &one.advice) {
            (Some(key), Some(advice)) => {
                format!("{}: {}. {advice}", key.trim_start_matches("privacy."), one.message)
            }
            (Some(key), None) => format!("{}: {}", key.trim_start_matches("privacy."), one.message),
            (None, _) => one.message.clone(),
        });
        problem(format!("{place}: {}", told.collect::<Vec<_>>().join("; ")))
    })?;
    Ok(job.privacy.models)
}

/// The job's models, without those that protect columns which the relation does not have: what is not there is not shown.
pub(super) fn of_job(call: &Call, models: &[Model], schema: &DFSchema) -> Result<Vec<Model>> {
    let there = |name: &String| schema.fields().iter().any(|field| field.name() == name);
    let kept: Vec<Model> = models
        .iter()
        .filter(|model| match model {
            Model::KAnonymity { .. } | Model::DeltaPresence { .. } | Model::KMap { .. } => true,
            Model::DistinctLDiversity { attribute, .. }
            | Model::EntropyLDiversity { attribute, .. }
            | Model::RecursiveLDiversity { attribute, .. }
            | Model::PdRecursiveLDiversity { attribute, .. }
            | Model::NpdRecursiveLDiversity { attribute, .. }
            | Model::TCloseness { attribute, .. } => there(attribute),
            Model::MultiAttributeLDiversity { attributes, .. } => attributes.iter().all(there),
        })
        .cloned()
        .collect();
    match kept.is_empty() {
        true => {
            Err(call
                .wrong("the job's models protect columns that the relation does not have; write e.g. k => 5"))
        }
        false => Ok(kept),
    }
}
