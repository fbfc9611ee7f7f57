//! `manifest.json`: what the verifier checks the files against.

use paravent_core::release::Solution;
use paravent_job::{Model, OutputFormat as FormatName};
use paravent_prepare::study::{
    Exactness, Found, Study, StudyError, achieved, population_classes, reference, required,
};
use paravent_report::three_digits;
use paravent_tables::write::{CsvStyle, OutputFormat, Written};
use serde_json::{Map, Value, json};

/// Version of the manifest's format: 2 since the transformation stays at home.
pub(crate) const FORMAT: u32 = 2;

/// Digests of the reports that are handed out.
#[derive(Debug, Clone)]
pub struct ReportDigests {
    /// Of `report.html`.
    pub html: String,
    /// Of `report.json`.
    pub json: String,
}

impl ReportDigests {
    pub(crate) fn to_json(&self) -> Value {
        json!([{ "file": "report.html", "sha256": self.html }, { "file": "report.json", "sha256": self.json }])
    }
}

/// The manifest of a release. It is handed out: no digest of the input, the job or the transformation is in it, by which guesses at what was
/// left out could be confirmed; nor the seed of a shuffle, which would undo it; nor the height of a hierarchy, which the longest value may decide.
pub fn manifest(
    study: &Study,
    found: &Found,
    solution: &Solution,
    written: &Written,
    format: &OutputFormat,
    reports: &ReportDigests,
) -> Result<Value, StudyError> {
    let attributes: Vec<Value> =
        study.columns.released().map(|(_, column)| attribute(study, solution, column)).collect();
    let mut privacy = Vec::new();
    for (model, figures) in study.job.privacy.models.iter().zip(&solution.achieved) {
        privacy.push(promise(study, model, figures, solution)?);
    }
    let best = found.report.best.as_ref();
    let mut manifest = json!({
        "format": FORMAT,
        "paravent": env!("CARGO_PKG_VERSION"),
        "input": { "rows": study.table.row_count(), "population_rows": study.population_rows },
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
            "loss": best.map(|best| three_digits(best.loss)),
            "optimal": found.report.optimal,
            "classes": solution.classes,
            "smallest_class": solution.smallest_class,
        },
        "reports": reports.to_json(),
    });
    if solution.boxes.is_some() {
        manifest["solution"]["recoding"] = json!("local");
    }
    if let (Some(people), Some(object)) = (&solution.people, manifest.as_object_mut()) {
        let (read, losing) = (people.people, people.losing);
        let limit = study.task.suppression_limit();
        object.insert("people".into(), json!({ "read": read, "losing": losing, "limit": limit }));
    }
    Ok(manifest)
}

fn output(study: &Study, written: &Written, format: &OutputFormat) -> Value {
    let wanted = &study.job.output;
    let mut output = json!({
        "file": file_name(format),
        "format": format_name(format).name(),
        "sha256": written.sha256,
        "rows": written.rows,
        "order": wanted.order.name(),
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

fn attribute(study: &Study, solution: &Solution, column: &paravent_prepare::study::InputColumn) -> Value {
    let mut attribute = Map::new();
    attribute.insert("name".into(), json!(column.name));
    attribute.insert("role".into(), json!(column.treatment.role()));
    attribute.insert("type".into(), json!(study.type_name(column)));
    if let paravent_prepare::study::Treatment::QuasiIdentifier(position) = column.treatment {
        attribute.extend([super::transform::levels(solution, position)]);
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
    let mut required = required(model, Exactness::Text);
    if let (Some(what), Some(required)) = (study.empty_cells(model), required.as_object_mut()) {
        required.insert("missing".into(), json!(what));
    }
    promise.insert("required".into(), required);
    promise.insert("achieved".into(), achieved(model, figures));
    promise.insert("holds".into(), json!(solution.holds));
    promise.extend(reference(study, model, solution)?);
    promise.extend(population_classes(study, model, solution)?);
    Ok(Value::Object(promise))
}
