//! The outcomes for programs.

use super::Attacked;
use paravent_evidence::attack::self_test::Trial;
use paravent_evidence::attack::{Outcome, Severity, Unit};
use serde_json::{Value, json};

/// The document of `attack --json`.
pub fn document(attacked: &Attacked) -> Value {
    json!({
        "paravent": env!("CARGO_PKG_VERSION"),
        "holds": attacked.holds(),
        "seed": attacked.seed,
        "release": { "rows": attacked.rows, "classes": attacked.classes, "k": attacked.k, "quasi_identifiers": attacked.quasi_identifiers },
        "given": attacked.given,
        "covered": attacked.count(Severity::Covered),
        "nothing_found": attacked.count(Severity::NothingFound),
        "residual": attacked.count(Severity::Residual),
        "not_compared": attacked.count(Severity::NotCompared),
        "broken": attacked.count(Severity::Broken),
        "warnings": attacked.warnings,
        "attacks": attacked.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "not_run": attacked.not_run.iter().map(|missing| json!({ "attack": missing.attack.name(), "needs": missing.needs })).collect::<Vec<_>>(),
    })
}

/// One attack.
pub fn outcome(outcome: &Outcome) -> Value {
    let details: serde_json::Map<String, Value> =
        outcome.details.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "attack": outcome.attack.name(),
        "subject": outcome.subject,
        "severity": outcome.severity.name(),
        "result": outcome.result,
        "figure": { "what": outcome.figure.what, "value": outcome.figure.value, "unit": unit(outcome.figure.unit) },
        "bound": outcome.bound.as_ref().map(|bound| json!({ "value": bound.value, "from": bound.from })),
        "assumption": outcome.assumption,
        "source": outcome.attack.source(),
        "details": details,
        "findings": outcome.findings.iter().map(|finding| {
            json!({ "class": finding.class, "value": finding.value, "text": finding.text })
        }).collect::<Vec<_>>(),
    })
}

/// The document of `attack --self-test --json`.
pub fn trials(trials: &[Trial], seed: u64) -> Value {
    let trial = |trial: &Trial| json!({ "attack": trial.attack.name(), "passes": trial.passes(), "planted": outcome(&trial.planted), "strong": outcome(&trial.strong) });
    json!({
        "paravent": env!("CARGO_PKG_VERSION"),
        "holds": trials.iter().all(Trial::passes),
        "seed": seed,
        "trials": trials.iter().map(trial).collect::<Vec<_>>(),
    })
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        Unit::Count => "count",
        Unit::Factor => "factor",
    }
}
