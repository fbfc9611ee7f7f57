//! `manifest.json`: what the verifier checks the files against.

use paravent_core::release::Solution;
use paravent_job::{Model, PersonRows, SuppressedRows};
use paravent_prepare::study::{
    Exactness, Found, InputColumn, Study, StudyError, Treatment, achieved, population_classes, reference,
    required, treatment_json,
};
use paravent_report::told_loss;
use paravent_tables::write::{OutputFormat, Written};
use serde_json::{Map, Value, json};

/// Version of the manifest's format: 2 since the transformation stays at home.
const FORMAT: u32 = 2;

/// Digests of the reports that are handed out.
#[derive(Debug, Clone)]
pub struct ReportDigests {
    /// Of `report.html`.
    pub html: String,
    /// Of `report.json`.
    pub json: String,
}

impl ReportDigests {
    fn to_json(&self) -> Value {
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
    let people = solution.people.map(|people| PeopleCounts {
        read: people.people,
        losing: people.losing,
        rows: study.job.privacy.person_rows,
    });
    let contents = Contents {
        rows: study.table.row_count(),
        population_rows: study.population_rows,
        written,
        format,
        order: study.job.output.order.name(),
        suppression_limit: study.job.privacy.suppression_limit.as_str(),
        limit_rows: study.task.suppression_limit(),
        suppressed_rows: solution.suppressed_rows,
        starred: study.job.output.suppressed == SuppressedRows::Star,
        attributes,
        dropped: study.columns.dropped(),
        privacy,
        metric: study.job.search.metric.name(),
        loss: best.map(|best| best.loss),
        optimal: found.report.optimal,
        classes: solution.classes,
        smallest_class: Some(solution.smallest_class),
        people,
        table: study.input.engine().and(study.job.output.table.as_ref()).map(|table| table.table.as_str()),
    };
    let mut manifest = contents.to_json(reports);
    if solution.boxes.is_some() {
        manifest["solution"]["recoding"] = json!("local");
    }
    if let Some(known) = study.job.privacy.most_known {
        manifest["solution"]["most_known"] = json!(known);
    }
    if let Some(sample) = &study.job.input.sample {
        let of = if study.job.privacy.person.is_empty() { "rows" } else { "people" };
        manifest["input"]["sample"] = json!({ "share": sample.share.as_str(), "of": of });
    }
    if let Some(factor) = &study.job.search.gs_factor {
        manifest["solution"]["gs_factor"] = json!(factor.as_str());
    }
    Ok(manifest)
}

/// People before and after.
#[derive(Debug, Clone, Copy)]
pub struct PeopleCounts {
    /// How many there are.
    pub read: u64,
    /// How many lose a row.
    pub losing: u64,
    /// What becomes of their other rows.
    pub rows: PersonRows,
}

impl PeopleCounts {
    fn to_json(self, limit: u64) -> Value {
        let mut counts = json!({ "read": self.read, "losing": self.losing, "limit": limit });
        if let (true, Some(counts)) = (self.rows != PersonRows::Apart, counts.as_object_mut()) {
            counts.insert("rows".into(), json!(self.rows.name()));
        }
        counts
    }
}

/// What a manifest says. However a release came about, this alone writes it down.
#[derive(Debug)]
pub struct Contents<'a> {
    /// Rows of the table.
    pub rows: u64,
    /// Rows of the population, where there is one.
    pub population_rows: Option<u64>,
    /// The data file.
    pub written: &'a Written,
    /// How it was written.
    pub format: &'a OutputFormat,
    /// The order of its rows.
    pub order: &'a str,
    /// The share that may be suppressed, as the job writes it.
    pub suppression_limit: &'a str,
    /// The same in rows, or in people.
    pub limit_rows: u64,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Whether they are shown as rows of stars.
    pub starred: bool,
    /// Columns of the release with name, role, type and level.
    pub attributes: Vec<Value>,
    /// Names of the columns that were left out.
    pub dropped: Vec<&'a str>,
    /// A promise each: what is required, what is achieved, and what the verifier needs besides.
    pub privacy: Vec<Value>,
    /// Name of the metric.
    pub metric: &'a str,
    /// The loss in full; the manifest has it where it follows from the release.
    pub loss: Option<f64>,
    /// Whether it is proven to be the least.
    pub optimal: bool,
    /// Number of classes.
    pub classes: u64,
    /// Size of the smallest.
    pub smallest_class: Option<u64>,
    /// Where people are counted: how many there are, and how many lose a row.
    pub people: Option<PeopleCounts>,
    /// The table in a database that has the rows, where no file has them.
    pub table: Option<&'a str>,
}

impl Contents<'_> {
    /// The manifest.
    pub fn to_json(&self, reports: &ReportDigests) -> Value {
        let mut manifest = json!({
            "format": FORMAT,
            "paravent": env!("CARGO_PKG_VERSION"),
            "input": { "rows": self.rows, "population_rows": self.population_rows },
            "output": self.output(),
            "suppression": {
                "limit": self.suppression_limit,
                "limit_rows": self.limit_rows,
                "rows": self.suppressed_rows,
            },
            "attributes": self.attributes,
            "dropped": self.dropped,
            "privacy": self.privacy,
            "solution": {
                "metric": self.metric,
                "loss": self.loss.and_then(|loss| told_loss(self.metric, loss, self.rows)),
                "optimal": self.optimal,
                "classes": self.classes,
                "smallest_class": self.smallest_class,
            },
            "reports": reports.to_json(),
        });
        if let (Some(people), Some(object)) = (&self.people, manifest.as_object_mut()) {
            object.insert("people".into(), people.to_json(self.limit_rows));
        }
        if self.starred {
            manifest["suppression"]["shown"] = json!("star");
        }
        manifest
    }

    fn output(&self) -> Value {
        if let Some(table) = self.table {
            return json!({
                "table": table,
                "format": "table",
                "sha256": self.written.sha256,
                "rows": self.written.rows,
                "order": "none",
            });
        }
        super::format::described(self.format, self.written, self.order)
    }
}

/// Name of the data file.
pub fn file_name(format: &OutputFormat) -> String {
    format!("data.{}", format.extension())
}

fn attribute(study: &Study, solution: &Solution, column: &InputColumn) -> Value {
    let mut attribute = Map::new();
    attribute.insert("name".into(), json!(column.name));
    attribute.insert("role".into(), json!(column.treatment.role()));
    attribute.insert("type".into(), json!(study.type_name(column)));
    let treatment = treatment_of(study, column);
    if let Treatment::QuasiIdentifier(position) = column.treatment
        && !is_aggregated(study, column)
    {
        attribute.extend([super::transform::levels(solution, position)]);
    }
    attribute.extend(treatment.map(|treatment| ("treatment".to_owned(), treatment)));
    Value::Object(attribute)
}

/// What else is done to the cells of a column.
pub(super) fn treatment_of(study: &Study, column: &InputColumn) -> Option<Value> {
    treatment_json(&study.job.attributes[column.attribute?].treatments)
}

/// Whether every class shows one figure of the column.
pub(super) fn is_aggregated(study: &Study, column: &InputColumn) -> bool {
    column.attribute.is_some_and(|index| study.job.attributes[index].treatments.aggregate.is_some())
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
