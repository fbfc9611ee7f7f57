//! What an answer says about itself. No cell, no constant of a condition, no seed.

use crate::adapt::{Adapted, Part, RowDemand, Threshold};
use crate::exact::{REMAINDER, Released};
use crate::microdata;
use paravent_algebra::lower::Account;
use paravent_job::DecimalText;
use paravent_policy::{Noise, Policy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The parts that are the same for every copy of an answer. `data` is a keyed digest of each table: a plain one would confirm guesses of its rows.
fn common(policy: &Policy, adapted: &Adapted<'_>, data: &[String]) -> Value {
    let recipient = adapted.asker.recipient;
    let table = |(part, data): (&Part<'_>, &String)| json!({ "name": part.table.name, "version": format!("keyed:{data}") });
    let tables: Vec<Value> = adapted.parts.iter().zip(data).map(table).collect();
    json!({
        "format": 1,
        "paravent": env!("CARGO_PKG_VERSION"),
        "recipient": { "group": recipient.group, "purpose": adapted.asker.purpose },
        "policy": { "name": policy.name, "version": policy.version(), "rules_used": adapted.rules },
        "data": { "tables": tables },
        "adaptations": adapted.adaptations,
        "analysis": { "done": "complete" },
    })
}

/// Of an answer with noise.
pub fn noisy(
    policy: &Policy,
    adapted: &Adapted<'_>,
    noise: &Noise,
    data: &[String],
    accounts: &[Account],
) -> Value {
    let figures: Vec<String> = adapted.question.figures.iter().map(crate::question::Figure::name).collect();
    let mut annotation = common(policy, adapted, data);
    annotation["operators"] = accounts.iter().map(shown).collect();
    annotation["criteria"] = json!([{
        "model": "differential privacy",
        "required": { "epsilon": noise.epsilon.as_str(), "delta": noise.delta.as_str() },
        "counted": "people",
        "contribution": adapted.contribution,
        "satisfied": true,
        "without_change": false,
    }]);
    annotation["truthful"] = json!(false);
    annotation["noisy_columns"] = json!(figures);
    annotation["warnings"] = json!(warnings(adapted));
    annotation
}

/// Of an answer with exact figures.
pub fn exact(
    policy: &Policy,
    adapted: &Adapted<'_>,
    threshold: &Threshold,
    data: &[String],
    released: &Released,
) -> Value {
    let mut annotation = common(policy, adapted, data);
    annotation["operators"] =
        json!([{ "type": "threshold", "folded": released.is_folded, "remainder": REMAINDER }]);
    annotation["criteria"] = json!([{
        "model": "people per figure",
        "required": { "min_people": threshold.people, "dominance": threshold.dominance.as_ref().map(DecimalText::as_str) },
        "counted": "people",
        "contribution": adapted.contribution,
        "satisfied": true,
        "without_change": !released.is_folded,
    }]);
    annotation["differences"] = json!({ "compared_with": released.compared, "verdict": "covered" });
    annotation["truthful"] = json!(true);
    annotation["noisy_columns"] = json!([]);
    let folded = "Groups with few people, and groups that would tell of few people together with earlier answers, are folded into the remainder or withheld.";
    annotation["warnings"] = json!([folded]);
    annotation
}

/// Of rows.
pub fn rows(
    policy: &Policy,
    adapted: &Adapted<'_>,
    demand: &RowDemand,
    data: &[String],
    released: &microdata::Released,
) -> Value {
    let mut annotation = common(policy, adapted, data);
    let levels: serde_json::Map<String, Value> =
        released.levels.iter().map(|(column, level)| (column.clone(), json!(level))).collect();
    annotation["operators"] = match (&released.sliced, released.loss) {
        // Which rows were mixed with which stays a secret.
        (Some(slices), _) => json!([{
            "type": "slice",
            "groups": slices.groups,
            "kept": slices.kept,
            "lost": slices.lost,
        }]),
        (None, Some(loss)) => json!([{
            "type": "generalize",
            "levels": levels,
            "suppressed_people": released.suppressed,
            "metric": demand.metric.map(|metric| metric.name()),
            "loss": loss,
        }]),
        (None, None) => json!([{ "type": "withheld" }]),
    };
    annotation["criteria"] = json!([{
        "model": microdata::names(&demand.models).join(", "),
        "required": { "k": demand.k },
        "counted": "people",
        "contribution": 1,
        "satisfied": true,
        "without_change": released.is_unchanged,
    }]);
    annotation["truthful"] = json!(released.sliced.is_none());
    annotation["noisy_columns"] = json!([]);
    let late = "Conditions that you apply to these rows yourself can make groups smaller than promised.";
    let mixed = "Only columns of one group belong together; cells of different groups in a row are mixed.";
    annotation["warnings"] = match released.sliced.is_some() {
        true => json!([mixed, late]),
        false => json!([late]),
    };
    annotation
}

/// The columns of an account without what they are for.
fn shown(account: &Account) -> Value {
    let text = json!(account).to_string().replace("measure:", "");
    serde_json::from_str(&text).unwrap_or_default()
}

fn warnings(adapted: &Adapted<'_>) -> Vec<&'static str> {
    let mut warnings = vec!["Every figure has noise; groups with a small noisy count may be missing."];
    if adapted.asker.recipient.budget.as_ref().is_some_and(|budget| budget.renew_days.is_some()) {
        warnings.push("The policy says that the budget is renewed; this version never renews it.");
    }
    warnings
}

/// Digest of a statement.
pub fn digest(text: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(text.as_bytes())))
}
