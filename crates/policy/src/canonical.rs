//! The form that a digest is made of: everything written out, in one order.

use crate::access::{Claim, Extent, Noise};
use crate::demands::Demand;
use crate::policy::Policy;
use crate::recipients::Recipient;
use crate::rules::{For, Rule};
use crate::tables::{Domain, Place, Table, Whose};
use paravent_job::{Exactness, Model};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn of(policy: &Policy) -> Value {
    let demands = policy
        .demands
        .iter()
        .map(|(table, demand)| json!({ "table": table, "demand": self::demand(demand) }));
    let analyses =
        policy.analyses.iter().map(|one| json!({ "for": whom(&one.whom), "regression": one.regression }));
    let subjects = policy.subjects.iter().map(|subject| {
        let claims = subject
            .claims
            .iter()
            .map(|(columns, one)| json!({ "columns": sorted_names(columns), "claim": claim(one) }));
        // The person is a cell: only its digest is part of the form.
        let person = hex::encode(Sha256::digest(subject.person.as_bytes()));
        json!({ "person": person, "claims": sorted(claims), "conflict": subject.conflict.to_string() })
    });
    let consent = policy.consent.as_ref().map(|consent| {
        let table = consent.table.as_ref().map(|table| table.display().to_string());
        json!({ "table": table, "without": consent.without.to_string(), "batch": consent.batch })
    });
    json!({
        "version": 1,
        "name": policy.name,
        "tables": sorted(policy.tables.iter().map(table)),
        "recipients": sorted(policy.recipients.iter().map(recipient)),
        "rules": sorted(policy.rules.iter().map(rule)),
        "demands": sorted(demands),
        "analyses": sorted(analyses),
        "consent": consent,
        "subjects": sorted(subjects),
    })
}

impl Policy {
    /// The policy with everything written out in one order. The order of its rules is not part of it.
    pub fn canonical(&self) -> Value {
        of(self)
    }

    /// `sha256:…` of the canonical form: the version of the policy.
    pub fn version(&self) -> String {
        format!("sha256:{}", hex::encode(Sha256::digest(self.canonical().to_string().as_bytes())))
    }
}

/// In the order of their texts.
fn sorted(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.collect();
    values.sort_by_cached_key(Value::to_string);
    Value::Array(values)
}

fn sorted_names(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_unstable();
    names
}

fn table(table: &Table) -> Value {
    let place = match &table.place {
        Place::Job(path) => json!({ "job": path.display().to_string() }),
        Place::File(path) => json!({ "path": path.display().to_string() }),
    };
    let whose = match &table.whose {
        Whose::Nobody => json!("public"),
        Whose::Person(columns) => json!({ "person": columns }),
        Whose::Links(links) => json!({ "links": links }),
    };
    let domain: Vec<Value> =
        table.domain.iter().map(|(column, domain)| json!([column, self::domain(domain)])).collect();
    json!({ "name": table.name, "place": place, "whose": whose, "contribution": table.contribution, "domain": domain })
}

fn domain(domain: &Domain) -> Value {
    match domain {
        Domain::Range { min, max, step } => {
            json!({ "min": min.as_str(), "max": max.as_str(), "step": step.as_ref().map(|step| step.as_str().to_owned()) })
        }
        Domain::Values(values) => json!({ "values": sorted_names(values) }),
        Domain::ValuesFile(path) => json!({ "values": { "file": path.display().to_string() } }),
    }
}

fn recipient(recipient: &Recipient) -> Value {
    let budget = recipient.budget.as_ref().map(|budget| {
        json!({ "epsilon": budget.limit.epsilon.as_str(), "delta": budget.limit.delta.as_str(), "renew_days": budget.renew_days })
    });
    json!({
        "role": recipient.role,
        "purposes": sorted_names(&recipient.purposes),
        "trust": recipient.trust.to_string(),
        "group": recipient.group,
        "budget": budget,
        "answers_per_day": recipient.answers_per_day,
    })
}

fn whom(whom: &For) -> Value {
    json!({ "role": whom.role, "purpose": whom.purpose })
}

fn rule(rule: &Rule) -> Value {
    let times: Vec<Value> =
        rule.rows.times.iter().map(|(column, grain)| json!([column, grain.to_string()])).collect();
    json!({
        "id": rule.id,
        "for": whom(&rule.whom),
        "table": rule.table,
        "columns": sorted_names(&rule.columns),
        "claim": claim(&rule.claim),
        "where": rule.rows.conditions,
        "times": times,
    })
}

fn claim(claim: &Claim) -> Value {
    let extent = |extent: Option<Extent>| match extent {
        None => Value::Null,
        Some(Extent::Denied) => json!(false),
        Some(Extent::From(level)) => json!(level),
    };
    let figures =
        claim.aggregate.as_ref().map(|figures| figures.iter().map(ToString::to_string).collect::<Vec<_>>());
    json!({
        "deny": claim.deny,
        "show": extent(claim.show),
        "filter": extent(claim.filter),
        "group": extent(claim.group),
        "aggregate": figures,
        "noise": claim.noise.as_ref().map(noise),
    })
}

fn noise(noise: &Noise) -> Value {
    json!({ "epsilon": noise.epsilon.as_str(), "delta": noise.delta.as_str() })
}

fn demand(demand: &Demand) -> Value {
    let share =
        |share: &Option<paravent_job::DecimalText>| share.as_ref().map(|share| share.as_str().to_owned());
    let mut form = json!({
        "min_people": demand.min_people,
        "dominance": share(&demand.dominance),
        "models": sorted(demand.models.iter().map(model)),
        "suppression_limit": share(&demand.suppression_limit),
        "metric": demand.metric.map(|metric| metric.name()),
        "operators": demand.operators.as_ref().map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>()),
    });
    // A policy that says nothing about parts keeps its version.
    if let Some(zone) = demand.parts_to {
        form["parts_to"] = json!(zone.to_string());
    }
    form
}

fn model(model: &Model) -> Value {
    json!({ "model": model.name().name(), "required": model.required(Exactness::Text) })
}
