//! What a noisy release says of itself. It is handed out: no digest of the original, no count of changed cells, no figure of the table before.

use super::NoisyTable;
use super::account::Charge;
use super::mechanism::{Drawn, Mechanism, OutsidePolicy};
use crate::slice::output;
use paravent_noise::{Distribution, Response};
use paravent_tables::write::{OutputFormat, Written};
use serde_json::{Value, json};

/// The promises, in words.
pub(super) fn promises(mechanisms: &[Mechanism], charge: &Charge) -> Vec<String> {
    let mut promises: Vec<String> = mechanisms
        .iter()
        .filter_map(|mechanism| {
            let cost = mechanism.cost.as_ref()?;
            Some(format!(
                "{}: no shown cell is more than e^ε times as likely for one true value as for another, {cost}",
                mechanism.column
            ))
        })
        .collect();
    promises.push("the noise of every cell was drawn for itself, from exact probabilities".to_owned());
    if charge.bounded {
        let delta = if charge.delta == "0" { String::new() } else { format!(", δ = {}", charge.delta) };
        let together = match charge.rows_per_person {
            None | Some(1) => "all cells of a row together".to_owned(),
            Some(rows) => format!("all cells of a person together, who has up to {rows} rows"),
        };
        promises.push(format!(
            "{together}: ε = {}{delta}, charged to the ledger of the data set",
            charge.epsilon
        ));
    }
    promises
}

/// What it does not promise, in words.
pub(super) fn not_promised(mechanisms: &[Mechanism], charge: &Charge, is_seeded: bool) -> Vec<String> {
    let mut not = Vec::new();
    if charge.rows_per_person.is_none() {
        not.push(
            "the promise is about one row; somebody with several rows has as many times the ε".to_owned(),
        );
    }
    not.extend([
        "columns without noise are as they were".to_owned(),
        "what is true of many people at once can still be estimated, and is meant to be".to_owned(),
        "nothing is said about other releases of the same people: their ε adds up".to_owned(),
    ]);
    for mechanism in mechanisms.iter().filter(|mechanism| mechanism.cost.is_none()) {
        not.push(format!(
            "{}: no ε bounds its noise, because some value can never be shown as some other; the owner let it pass",
            mechanism.column
        ));
    }
    if is_seeded {
        not.push("the noise was drawn from a seed: whoever knows it can take the noise off".to_owned());
    }
    not
}

/// `manifest.json`.
pub(super) fn manifest(
    noisy: &NoisyTable,
    format: &OutputFormat,
    written: &Written,
    reports: &[(&str, String)],
) -> Value {
    let charge = &noisy.charge;
    let mut manifest = json!({
        "format": 1,
        "kind": "noise",
        "paravent": env!("CARGO_PKG_VERSION"),
        "output": output(format, written),
        "columns": noisy.columns.iter().map(|column| &column.name).collect::<Vec<_>>(),
        "noise": noisy.mechanisms.iter().map(described).collect::<Vec<_>>(),
        "epsilon": charge.epsilon,
        "delta": charge.delta,
        "bounded": charge.bounded,
        "ledger": {
            "recipient": charge.recipient,
            "lines": charge.receipts.iter().map(|receipt| json!({
                "line": receipt.line, "hash": receipt.hash,
            })).collect::<Vec<_>>(),
        },
        "dropped": noisy.dropped,
        "seeded": noisy.seed.is_some(),
        "promised": promises(&noisy.mechanisms, charge),
        "not_promised": not_promised(&noisy.mechanisms, charge, noisy.seed.is_some()),
        "reports": reports.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect::<Vec<_>>(),
    });
    if let Some(rows) = charge.rows_per_person {
        manifest["rows_per_person"] = json!(rows);
    }
    manifest
}

/// What becomes of values that the noise does not know.
pub(super) fn outside(mechanism: &Mechanism) -> &'static str {
    match mechanism.outside {
        OutsidePolicy::Refused => "refuse",
        OutsidePolicy::Clamped => "clamp",
        OutsidePolicy::Other(_) => "other",
    }
}

/// What becomes of missing cells.
pub(super) fn missing(mechanism: &Mechanism) -> &'static str {
    match (mechanism.stand_in, mechanism.values.contains(&None)) {
        (true, _) => "draw",
        (false, true) => "value",
        (false, false) => "refuse",
    }
}

/// The noise of a column, complete enough to compute its ε again.
fn described(mechanism: &Mechanism) -> Value {
    let cost = mechanism.cost.as_ref();
    let mut noise = json!({
        "column": mechanism.column,
        "law": mechanism.law,
        "outside": outside(mechanism),
        "missing": missing(mechanism),
        "epsilon": cost.map(|cost| cost.epsilon().to_string()),
        "delta": cost.map(|cost| cost.delta().to_string()),
    });
    if let OutsidePolicy::Other(code) = mechanism.outside {
        noise["other"] = json!(mechanism.values.get(code as usize));
    }
    match &mechanism.drawn {
        Drawn::Response(response, _) => {
            noise["values"] = json!(mechanism.values);
            noise["response"] = of_response(response);
        }
        Drawn::Cases { by, known, otherwise, cases, .. } => {
            noise["values"] = json!(mechanism.values);
            noise["by"] = json!(by);
            let known = known.iter().map(|value| json!({ "value": value }));
            let all = known.chain(otherwise.then(|| json!({ "otherwise": true })));
            let all = all.zip(cases.all()).map(|(mut case, response)| {
                case["response"] = of_response(response);
                case
            });
            noise["cases"] = all.collect();
        }
        Drawn::Added(added) => {
            let (min, max, step) = added.grid.described();
            noise["min"] = json!(min);
            noise["max"] = json!(max);
            noise["step"] = json!(step);
            // Words of 2^60 that move a value by at least so many steps up.
            noise["tails"] = added.noise.tails().iter().map(u64::to_string).collect();
        }
    }
    noise
}

fn of_response(response: &Response) -> Value {
    let mut document = json!({ "probability": response.p.to_string() });
    match &response.distribution {
        Distribution::Static(weights) => {
            document["weights"] = weights.as_slice().iter().map(ToString::to_string).collect();
        }
        // Values that can be shown, with their weights: zeros are left out.
        Distribution::Dynamic(kernel) => {
            let row = |from: u32| -> Value {
                kernel.row(from).iter().map(|(to, weight)| json!([to, weight.to_string()])).collect()
            };
            document["kernel"] = (0..response.domain()).map(row).collect();
        }
    }
    document
}
