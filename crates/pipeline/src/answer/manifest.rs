//! What a released answer says of itself. It is handed out: no statement, no digest of a table, no figure but those of the released rows.

use super::{AnswerPromise, ReleasedAnswer, ShownCells};
use crate::slice::output;
use paravent_job::{Job, Role};
use paravent_report::{AnswerFacts, RequiredModel, RowPromise, ShownColumn};
use paravent_tables::write::{OutputFormat, Written};
use serde_json::{Value, json};

/// What it does not promise, in words.
pub(super) fn not_promised(answer: &ReleasedAnswer) -> Vec<String> {
    let mut not = vec!["nothing is said about other releases of the same people".to_owned()];
    let names = |shown: ShownCells| -> Vec<&str> {
        let columns = answer.columns.iter().filter(|column| column.shown == shown);
        columns.map(|column| column.name.as_str()).collect()
    };
    let exact = names(ShownCells::AsItIs);
    if !exact.is_empty() {
        not.push(format!("the cells of {} are exact, or computed from exact ones", exact.join(", ")));
    }
    let computed = names(ShownCells::Computed);
    if !computed.is_empty() {
        not.push(format!("{} was computed by the query and is exact", computed.join(", ")));
    }
    if answer.promises.is_empty() {
        not.push("no promise is about single rows of this file, so none can be checked on them".to_owned());
    }
    if answer.seeded {
        not.push("it was drawn from a seed: whoever knows it can undo the draw".to_owned());
    }
    not
}

fn promise(promise: &AnswerPromise) -> RowPromise {
    let models = promise.models.iter();
    RowPromise {
        quasi_identifiers: promise.quasi_identifiers.clone(),
        models: models
            .map(|(model, required)| RequiredModel { model: model.clone(), required: required.clone() })
            .collect(),
    }
}

/// What manifest and report share.
pub(super) fn facts(answer: &ReleasedAnswer, job: &Job) -> AnswerFacts {
    let columns = answer.columns.iter();
    let dropped = job
        .with_role(Role::Identifying)
        .filter(|attribute| attribute.release.is_none())
        .map(|attribute| attribute.name.clone())
        .filter(|name| !answer.columns.iter().any(|column| column.name == *name));
    AnswerFacts {
        paravent: env!("CARGO_PKG_VERSION"),
        kind: "sql",
        columns: columns
            .map(|column| ShownColumn { name: column.name.clone(), shown: column.shown.word() })
            .collect(),
        dropped: dropped.collect(),
        operators: answer.operators.clone(),
        privacy: answer.promises.iter().map(promise).collect(),
        seeded: answer.seeded,
        promised: answer.promised.clone(),
        not_promised: not_promised(answer),
    }
}

/// `manifest.json`.
pub(super) fn manifest(
    answer: &ReleasedAnswer,
    job: &Job,
    format: &OutputFormat,
    written: &Written,
) -> Value {
    let mut manifest = json!({ "format": 1, "output": output(format, written) });
    if let (Some(manifest), Value::Object(facts)) = (manifest.as_object_mut(), json!(facts(answer, job))) {
        manifest.extend(facts);
    }
    manifest
}
