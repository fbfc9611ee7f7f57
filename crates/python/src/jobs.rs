//! A first job for a table, what there is to choose from, and what hierarchies make of values.

use crate::failed::Failed;
use crate::frame::Frame;
use crate::job_text::job;
use crate::watched::watched;
use paravent_assess::init::{InitOptions, Preset, propose_watched};
use paravent_core::values::ValueType;
use paravent_evidence::attack::Attack;
use paravent_job::{Algorithm, DataType, Metric, ModelName, Role};
use paravent_prepare::hierarchies;
use paravent_prepare::study::value_type;
use paravent_tables::read::Input;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// A first job for a table: its text, and a document with a reason for each column.
#[pyfunction]
#[pyo3(signature = (frame, k = None, purpose = "general", progress = None))]
pub(crate) fn propose(
    py: Python<'_>,
    frame: &Frame,
    k: Option<u32>,
    purpose: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let Some(preset) = Preset::ALL.into_iter().find(|preset| preset.name() == purpose) else {
        let names = Preset::ALL.map(Preset::name).join(", ");
        return Err(Failed::usage(format!("for_ takes one of: {names}")).into());
    };
    let options = InitOptions { k: k.unwrap_or(preset.k()), preset, ..InitOptions::default() };
    let input = Input::from_table(frame.table()?);
    let proposal =
        watched(py, progress.as_ref(), move |watch| Ok(propose_watched(&input, &options, watch)?))?;
    let columns = proposal.columns_json();
    let mut job = proposal.job;
    // The table is in memory; the job names standard input, so that it is a job file all the same.
    job.input = paravent_job::Input::file("-");
    Ok((job.to_toml(), json!({ "columns": columns, "notes": proposal.notes }).to_string()))
}

/// What there is to choose from, as the engine knows it.
#[pyfunction]
pub(crate) fn catalogue() -> String {
    let model = |name: &ModelName| {
        let card = name.card();
        let keys = card.keys.iter();
        let keys: Vec<Value> =
            keys.map(|key| json!({ "name": key.name, "says": key.says, "example": key.example })).collect();
        json!({ "name": card.name, "title": card.title, "statement": card.statement, "keys": keys })
    };
    let names = |all: Vec<&'static str>| json!(all);
    // The job file's own list of builders; `delimiter` belongs to `file`.
    let schema = paravent_job::schema();
    let builders = schema["$defs"]["hierarchy"]["anyOf"][1]["properties"].as_object().into_iter().flatten();
    let builders: Vec<Value> = builders
        .filter(|(name, _)| *name != "delimiter")
        .map(|(name, says)| json!({ "name": name, "says": says["description"] }))
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "models": ModelName::ALL.iter().map(model).collect::<Vec<_>>(),
        "hierarchies": builders,
        "metrics": names(Metric::ALL.iter().map(|metric| metric.name()).collect()),
        "algorithms": names(Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect()),
        "attacks": Attack::ALL.iter().map(|attack| json!({
            "name": attack.name(), "needs": attack.needs(), "source": attack.source(),
        })).collect::<Vec<_>>(),
        "roles": names(Role::ALL.iter().map(|role| role.name()).collect()),
        "types": names(DataType::ALL.iter().map(|kind| kind.name()).collect()),
    })
    .to_string()
}

/// The labels that values get on every level of an attribute's hierarchy: a list per level, from the values themselves on.
#[pyfunction]
pub(crate) fn labels(
    text: &str,
    file: &str,
    attribute: &str,
    values: Vec<Option<String>>,
) -> PyResult<Vec<Vec<Option<String>>>> {
    let job = job(text, file)?;
    let Some((index, declared)) = job.attribute(attribute) else {
        return Err(Failed::usage(format!("the job has no attribute {attribute:?}")).into());
    };
    let cells: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
    let kind = declared.data_type.map_or_else(|| hierarchies::type_of(&cells), value_type);
    let kind =
        if declared.data_type.is_none() && kind == ValueType::Boolean { ValueType::String } else { kind };
    let mut distinct = cells.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let hierarchy = hierarchies::build(&job, index, &distinct, kind).map_err(Failed::from)?;
    let ladder = hierarchies::ladder(&job, index, &hierarchy, &distinct, false).map_err(Failed::from)?;
    let code = |cell: &Option<&str>| distinct.binary_search(cell).unwrap_or_default();
    Ok((0..=ladder.max_level())
        .map(|level| {
            let rung = ladder.rung(level);
            cells.iter().map(|cell| rung.labels[rung.group_of[code(cell)] as usize].clone()).collect()
        })
        .collect())
}
