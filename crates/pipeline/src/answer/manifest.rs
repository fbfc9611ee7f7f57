//! What a released answer says of itself. It is handed out: no statement, no digest of a table, no figure but those of the released rows.

use super::{AnswerPromise, ReleasedAnswer, ShownCells};
use crate::slice::output;
use paravent_job::{Job, Role};
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

fn promise(promise: &AnswerPromise) -> Value {
    let models: Vec<Value> = promise
        .models
        .iter()
        .map(|(model, required)| json!({ "model": model, "required": required }))
        .collect();
    json!({ "quasi_identifiers": promise.quasi_identifiers, "models": models })
}

/// What manifest and report share.
pub(super) fn facts(answer: &ReleasedAnswer, job: &Job) -> Value {
    let columns: Vec<Value> = answer
        .columns
        .iter()
        .map(|column| json!({ "name": column.name, "shown": column.shown.word() }))
        .collect();
    let dropped: Vec<&str> = job
        .with_role(Role::Identifying)
        .filter(|attribute| attribute.release.is_none())
        .map(|attribute| attribute.name.as_str())
        .filter(|name| !answer.columns.iter().any(|column| column.name == *name))
        .collect();
    json!({
        "paravent": env!("CARGO_PKG_VERSION"),
        "kind": "sql",
        "columns": columns,
        "dropped": dropped,
        "operators": answer.operators,
        "privacy": answer.promises.iter().map(promise).collect::<Vec<_>>(),
        "seeded": answer.seeded,
        "promised": answer.promised,
        "not_promised": not_promised(answer),
    })
}

/// `manifest.json`.
pub(super) fn manifest(
    answer: &ReleasedAnswer,
    job: &Job,
    format: &OutputFormat,
    written: &Written,
) -> Value {
    let mut manifest = json!({ "format": 1, "output": output(format, written) });
    if let (Some(manifest), Value::Object(facts)) = (manifest.as_object_mut(), facts(answer, job)) {
        manifest.extend(facts);
    }
    manifest
}
