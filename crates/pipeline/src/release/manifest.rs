//! `manifest.json`: what the verifier checks the files against.

use crate::job::{Model, OutputFormat as FormatName};
use crate::study::{Exactness, Found, Study, StudyError, achieved, population_classes, reference, required};
use crate::write::{CsvStyle, OutputFormat, Written};
use paravent_core::release::Solution;
use serde_json::{Map, Value, json};

/// What goes into the manifest beside the study.
#[derive(Debug, Clone)]
pub struct Digests {
    /// Of the job file.
    pub job: String,
    /// Of the input.
    pub input: String,
    /// Of `transform.json`.
    pub transform: String,
}

/// The manifest of a release.
pub fn manifest(
    study: &Study,
    found: &Found,
    solution: &Solution,
    written: &Written,
    format: &OutputFormat,
    digests: &Digests,
) -> Result<Value, StudyError> {
    let attributes: Vec<Value> =
        study.columns.released().map(|(_, column)| attribute(study, solution, column)).collect();
    let mut privacy = Vec::new();
    for (model, figures) in study.job.privacy.models.iter().zip(&solution.achieved) {
        privacy.push(promise(study, model, figures, solution)?);
    }
    let best = found.report.best.as_ref();
    Ok(json!({
        "format": 1,
        "paravent": env!("CARGO_PKG_VERSION"),
        "job": { "sha256": digests.job },
        "input": { "sha256": digests.input, "rows": study.table.row_count(), "population_rows": study.population_rows },
        "transform": { "file": "transform.json", "sha256": digests.transform },
        "output": output(study, written, format),
        "suppression": {
            "limit": study.job.privacy.suppression_limit.as_str(),
            "limit_rows": study.task.suppression_limit(),
            "rows": solution.suppressed_rows,
        },
        "attributes": attributes,
        "dropped": study.columns.dropped(),
        "privacy": privacy,
        "solution": {
            "metric": study.job.search.metric.name(),
            "loss": best.map(|best| best.loss),
            "optimal": found.report.optimal,
            "classes": solution.classes,
            "smallest_class": solution.smallest_class,
        },
    }))
}

fn output(study: &Study, written: &Written, format: &OutputFormat) -> Value {
    let wanted = &study.job.output;
    let mut output = json!({
        "file": file_name(format),
        "format": format_name(format).name(),
        "sha256": written.sha256,
        "rows": written.rows,
        "order": wanted.order.name(),
        "seed": wanted.seed,
    });
    if let (OutputFormat::Csv(CsvStyle { delimiter, null: missing, spreadsheet_safe }), Some(object)) =
        (format, output.as_object_mut())
    {
        object.insert("delimiter".into(), json!(char::from(*delimiter).to_string()));
        object.insert("null".into(), json!(missing));
        object.insert("spreadsheet_safe".into(), json!(spreadsheet_safe));
    }
    output
}

fn format_name(format: &OutputFormat) -> FormatName {
    match format {
        OutputFormat::Csv(_) => FormatName::Csv,
        OutputFormat::Parquet => FormatName::Parquet,
        OutputFormat::Arrow => FormatName::Arrow,
    }
}

/// Name of the data file.
pub(crate) fn file_name(format: &OutputFormat) -> String {
    format!("data.{}", format.extension())
}

fn attribute(study: &Study, solution: &Solution, column: &crate::study::InputColumn) -> Value {
    let mut attribute = Map::new();
    attribute.insert("name".into(), json!(column.name));
    attribute.insert("role".into(), json!(column.treatment.role()));
    attribute.insert("type".into(), json!(study.type_name(column)));
    if let crate::study::Treatment::QuasiIdentifier(position) = column.treatment {
        attribute.insert("level".into(), json!(solution.node.levels()[position]));
        attribute.insert("max_level".into(), json!(study.task.ladders()[position].max_level()));
    }
    Value::Object(attribute)
}

fn promise(
    study: &Study,
    model: &Model,
    figures: &paravent_core::criteria::Achieved,
    solution: &Solution,
) -> Result<Value, StudyError> {
    let mut promise = Map::new();
    promise.insert("model".into(), json!(model.name().name()));
    promise.insert("required".into(), required(model, Exactness::Text));
    promise.insert("achieved".into(), achieved(model, figures));
    promise.insert("holds".into(), json!(solution.holds));
    promise.extend(reference(study, model, solution)?);
    promise.extend(population_classes(study, model, solution)?);
    Ok(Value::Object(promise))
}
