//! What a recipient may do, as a table and as JSON.

use crate::layout::Columns;
use paravent_pipeline::job::Job;
use paravent_policy::{Asker, Effective, Extent, Policy, mentioned_columns};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `research (untrusted) for statistics`
pub fn title(asker: &Asker<'_>) -> String {
    format!("{} ({}) for {}", asker.recipient.role, asker.recipient.trust, asker.purpose)
}

fn noise(effective: &Effective<'_>) -> String {
    match &effective.access.noise {
        Some(noise) if noise.delta.scaled() == 0 => format!("ε ≤ {}", noise.epsilon),
        Some(noise) => format!("ε ≤ {}, δ ≤ {}", noise.epsilon, noise.delta),
        None => String::new(),
    }
}

fn figures(effective: &Effective<'_>) -> String {
    let names: Vec<String> = effective.access.aggregate.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn ids(effective: &Effective<'_>) -> Vec<String> {
    effective.rules.iter().map(|rule| rule.id.clone()).collect()
}

/// A line per column.
pub fn text(policy: &Policy, asker: &Asker<'_>, jobs: &BTreeMap<String, Job>) -> String {
    let mut lines = Columns::default();
    lines.row(["column", "show", "filter", "group", "figures", "noise", "rules"]);
    let mut rows_text = String::new();
    for table in &policy.tables {
        let about = policy.rows(asker, &table.name);
        for condition in &about.rows.conditions {
            rows_text.push_str(&format!("  rows of {}: {condition}\n", table.name));
        }
        for (column, grain) in &about.rows.times {
            rows_text.push_str(&format!("  {}.{column}: no finer than {grain}\n", table.name));
        }
        let counted = match (about.denied, about.access.aggregate.is_empty()) {
            (true, _) => "nothing",
            (false, true) => "no",
            (false, false) => "yes",
        };
        rows_text.push_str(&format!("  rows of {} may be counted as a whole: {counted}\n", table.name));
        if let Some(people) = policy.demand(&table.name).min_people {
            rows_text.push_str(&format!(
                "  every exact answer about {} is of at least {people} people\n",
                table.name
            ));
        }
        for column in mentioned_columns(policy, &table.name, jobs) {
            let effective = policy.column(asker, &table.name, &column);
            let access = &effective.access;
            let rules = if effective.rules.is_empty() {
                "none, so denied".to_owned()
            } else {
                ids(&effective).join(", ")
            };
            lines.row([
                format!("{}.{column}", table.name),
                access.show.to_string(),
                access.filter.to_string(),
                access.group.to_string(),
                figures(&effective),
                noise(&effective),
                rules,
            ]);
        }
    }
    format!("{}{rows_text}", lines.render())
}

/// The same for programs.
pub fn json(policy: &Policy, asker: &Asker<'_>, jobs: &BTreeMap<String, Job>) -> Value {
    let extent = |extent: Extent| match extent {
        Extent::Denied => json!(false),
        Extent::From(level) => json!(level),
    };
    let tables: Vec<Value> = policy
        .tables
        .iter()
        .map(|table| {
            let about = policy.rows(asker, &table.name);
            let columns: Vec<Value> = mentioned_columns(policy, &table.name, jobs)
                .into_iter()
                .map(|column| {
                    let effective = policy.column(asker, &table.name, &column);
                    let access = &effective.access;
                    json!({
                        "column": column,
                        "show": extent(access.show),
                        "filter": extent(access.filter),
                        "group": extent(access.group),
                        "aggregate": access.aggregate.iter().map(ToString::to_string).collect::<Vec<_>>(),
                        "noise": access.noise.as_ref().map(|noise| json!({ "epsilon": noise.epsilon.as_str(), "delta": noise.delta.as_str() })),
                        "rules": ids(&effective),
                    })
                })
                .collect();
            let times: BTreeMap<&String, String> =
                about.rows.times.iter().map(|(column, grain)| (column, grain.to_string())).collect();
            json!({
                "table": table.name,
                "denied": about.denied,
                "where": about.rows.conditions,
                "times": times,
                "count": !about.denied && !about.access.aggregate.is_empty(),
                "min_people": policy.demand(&table.name).min_people,
                "columns": columns,
            })
        })
        .collect();
    json!({
        "role": asker.recipient.role,
        "purpose": asker.purpose,
        "trust": asker.recipient.trust.to_string(),
        "group": asker.recipient.group,
        "tables": tables,
    })
}
