//! What an answer says about itself. No cell, no constant of a condition, no seed.

use crate::adapt::Adapted;
use paravent_algebra::lower::Account;
use paravent_policy::Policy;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The parts that are the same for every copy of an answer. `data` is a keyed digest of the table: a plain one would confirm guesses of its rows.
pub fn of(policy: &Policy, adapted: &Adapted<'_>, data: &str, accounts: &[Account]) -> Value {
    let recipient = adapted.asker.recipient;
    let operators: Vec<Value> = accounts.iter().map(shown).collect();
    let figures: Vec<String> = adapted.question.figures.iter().map(crate::question::Figure::name).collect();
    json!({
        "format": 1,
        "paravent": env!("CARGO_PKG_VERSION"),
        "recipient": { "group": recipient.group, "purpose": adapted.asker.purpose },
        "policy": { "name": policy.name, "version": policy.version(), "rules_used": adapted.rules },
        "data": { "tables": [{ "name": adapted.table.name, "version": format!("keyed:{data}") }] },
        "adaptations": adapted.adaptations,
        "operators": operators,
        "criteria": [{
            "model": "differential privacy",
            "required": { "epsilon": adapted.noise.epsilon.as_str(), "delta": adapted.noise.delta.as_str() },
            "counted": "people",
            "contribution": adapted.table.contribution,
            "satisfied": true,
            "without_change": false,
        }],
        "analysis": { "done": "complete" },
        "truthful": false,
        "noisy_columns": figures,
        "warnings": warnings(adapted),
    })
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
