//! What only the sections together can get wrong, and rules without effect.

use crate::access::{Claim, Extent};
use crate::effective::{meant, names_people};
use crate::policy::Policy;
use crate::rules::{For, Rule};
use crate::tables::Whose;
use paravent_job::{Problem, Problems, shortened};
use std::collections::{BTreeMap, BTreeSet};

/// What is not wrong, but hardly meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The rules, by their ids.
    pub rules: Vec<String>,
    /// What about them.
    pub message: String,
}

pub(crate) fn problems(policy: &Policy) -> Problems {
    let mut problems = Problems::new();
    twice(policy, "tables", "name", policy.tables.iter().map(|table| table.name.as_str()), &mut problems);
    twice(policy, "recipients", "role", policy.recipients.iter().map(|one| one.role.as_str()), &mut problems);
    twice(policy, "rules", "id", policy.rules.iter().map(|rule| rule.id.as_str()), &mut problems);
    links(policy, &mut problems);
    nodes(policy, &mut problems);
    groups(policy, &mut problems);
    for (place, rule) in policy.rules.iter().enumerate() {
        let key = format!("rules[{place}]");
        known_table(policy, &rule.table, &key, &mut problems);
        known_asker(policy, &rule.whom, &key, &mut problems);
        people_stay(policy, rule, &key, &mut problems);
    }
    for (place, (table, demand)) in policy.demands.iter().enumerate() {
        let key = format!("demands[{place}]");
        known_table(policy, table, &key, &mut problems);
        let earlier = policy.demands[..place].iter().filter(|(other, _)| other == table);
        let metrics = earlier.filter_map(|(_, earlier)| earlier.metric);
        if demand.metric.is_some_and(|metric| metrics.into_iter().any(|earlier| earlier != metric)) {
            let message = "another demand on this table has another metric, and neither is stricter";
            problems
                .push(policy.source.problem(&format!("{key}.metric"), message).advise("Keep one of them"));
        }
    }
    for (place, analysis) in policy.analyses.iter().enumerate() {
        known_asker(policy, &analysis.whom, &format!("analyses[{place}]"), &mut problems);
    }
    problems
}

/// Names of nodes, and the tables that are there.
fn nodes(policy: &Policy, problems: &mut Problems) {
    for (place, node) in policy.nodes.iter().enumerate() {
        if policy.nodes[..place].iter().any(|known| known.name == node.name) {
            let message = format!("{} is there already", shortened(&node.name));
            let problem = policy.source.problem(&format!("nodes[{place}].name"), message);
            problems.push(problem.advise("Give each of them a name of its own"));
        }
        for table in node.tables.iter().filter(|table| policy.table(table).is_none()) {
            let message = format!("the policy has no table {}", shortened(table));
            let names: Vec<&str> = policy.tables.iter().map(|table| table.name.as_str()).collect();
            let problem = policy.source.problem(&format!("nodes[{place}].tables"), message);
            problems.push(problem.advise(meant(table, &names, "Tables")));
        }
    }
}

fn twice<'a>(
    policy: &Policy,
    list: &str,
    key: &str,
    names: impl Iterator<Item = &'a str>,
    problems: &mut Problems,
) {
    let mut seen = BTreeSet::new();
    for (place, name) in names.enumerate() {
        if !seen.insert(name) {
            let message = format!("{} is there already", shortened(name));
            let problem = policy.source.problem(&format!("{list}[{place}].{key}"), message);
            problems.push(problem.advise("Give each of them a name of its own"));
        }
    }
}

fn known_table(policy: &Policy, table: &str, key: &str, problems: &mut Problems) {
    if policy.table(table).is_none() {
        let names: Vec<&str> = policy.tables.iter().map(|table| table.name.as_str()).collect();
        let message = format!("the policy has no table {}", shortened(table));
        let problem = policy.source.problem(&format!("{key}.table"), message);
        problems.push(problem.advise(meant(table, &names, "Tables")));
    }
}

fn known_asker(policy: &Policy, whom: &For, key: &str, problems: &mut Problems) {
    let mut unknown = |part: &str, written: &str, known: &[&str], what: &str| {
        let message = format!("{} is unknown, so this concerns nobody", shortened(written));
        let problem: Problem = policy.source.problem(&format!("{key}.for.{part}"), message);
        problems.push(problem.advise(meant(written, known, what)));
    };
    let mut recipients: Vec<_> = policy.recipients.iter().collect();
    if let Some(role) = &whom.role {
        let roles: Vec<&str> = recipients.iter().map(|one| one.role.as_str()).collect();
        recipients.retain(|one| one.role == *role);
        if recipients.is_empty() {
            return unknown("role", role, &roles, "Recipients");
        }
    }
    if let Some(purpose) = &whom.purpose {
        let own: BTreeSet<&str> =
            recipients.iter().flat_map(|one| one.purposes.iter().map(String::as_str)).collect();
        if !own.contains(purpose.as_str()) {
            unknown("purpose", purpose, &own.into_iter().collect::<Vec<_>>(), "Purposes");
        }
    }
}

/// The key of a person never leaves the house, so no rule can let it.
fn people_stay(policy: &Policy, rule: &Rule, key: &str, problems: &mut Problems) {
    let Some(table) = policy.table(&rule.table) else { return };
    let Claim { deny, show, filter, group, aggregate, .. } = &rule.claim;
    let grants = [show, filter, group].into_iter().any(|extent| matches!(extent, Some(Extent::From(_))))
        || aggregate.as_ref().is_some_and(|figures| !figures.is_empty());
    if *deny || !grants {
        return;
    }
    for column in rule.columns.iter().filter(|column| names_people(&table.whose, column)) {
        let message = format!("{} says whose row it is, and that never leaves the house", shortened(column));
        let problem = policy.source.problem(&format!("{key}.columns"), message);
        problems.push(problem.advise("Take it out of the rule; people are counted without it"));
    }
}

/// A link leads to the whole person of another table.
fn links(policy: &Policy, problems: &mut Problems) {
    for (place, table) in policy.tables.iter().enumerate() {
        let Whose::Links(links) = &table.whose else { continue };
        let targets: BTreeSet<&str> = links.values().map(|(table, _)| table.as_str()).collect();
        let key = format!("tables[{place}].links");
        let mut wrong = |message: String| {
            let advice =
                "Link all columns of the person of one table, as in links = { patient = \"patients.id\" }";
            problems.push(policy.source.problem(&key, message).advise(advice));
        };
        let [target] = targets.iter().copied().collect::<Vec<_>>()[..] else {
            wrong("the links lead to several tables, so nobody knows whose rows they are".to_owned());
            continue;
        };
        let linked: BTreeSet<&str> = links.values().map(|(_, column)| column.as_str()).collect();
        if linked.len() < links.len() {
            wrong("two columns lead to the same column, so a row would belong to two people".to_owned());
            continue;
        }
        match policy.table(target).map(|table| &table.whose) {
            Some(Whose::Person(columns)) => {
                let columns: BTreeSet<&str> = columns.iter().map(String::as_str).collect();
                if columns != linked {
                    wrong(format!("the links do not lead to the person of {}", shortened(target)));
                }
            }
            Some(_) => wrong(format!("{} has no person of its own", shortened(target))),
            None => wrong(format!("the policy has no table {}", shortened(target))),
        }
    }
}

/// Recipients of a group are taken to share what they have, so they have one account.
fn groups(policy: &Policy, problems: &mut Problems) {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, recipient) in policy.recipients.iter().enumerate() {
        let &mut earlier = first.entry(recipient.group.as_str()).or_insert(place);
        if policy.recipients[earlier].budget != recipient.budget {
            let message = format!(
                "differs from that of {}, and recipients of one group have one account",
                shortened(&policy.recipients[earlier].role)
            );
            let problem = policy.source.problem(&format!("recipients[{place}].budget"), message);
            problems.push(problem.advise("Write the same budget, or another group"));
        }
    }
}

/// Rules that change nothing, and rules that together leave nothing.
pub fn remarks(policy: &Policy) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (place, rule) in policy.rules.iter().enumerate() {
        let mut without = policy.clone();
        without.rules.remove(place);
        let dead = !rule.is_about_rows() && meanings(policy, rule) == meanings(&without, rule);
        if dead && !rule.claim.deny {
            let message = "changes nothing: other rules are as strict at every place, or deny it".to_owned();
            remarks.push(Remark { rules: vec![rule.id.clone()], message });
        }
    }
    remarks.extend(contradictions(policy));
    remarks
}

/// What everybody may do with the columns of a rule.
fn meanings(policy: &Policy, rule: &Rule) -> Vec<crate::access::Access> {
    let mut all = Vec::new();
    for recipient in &policy.recipients {
        for purpose in &recipient.purposes {
            if let Ok(asker) = policy.asker(&recipient.role, purpose) {
                let columns = rule.columns.iter();
                all.extend(columns.map(|column| policy.column(&asker, &rule.table, column).access));
            }
        }
    }
    all
}

/// Several rules that each allow something, and together nothing.
fn contradictions(policy: &Policy) -> Vec<Remark> {
    let mut found: BTreeSet<(Vec<String>, String, String)> = BTreeSet::new();
    for recipient in &policy.recipients {
        for purpose in &recipient.purposes {
            let Ok(asker) = policy.asker(&recipient.role, purpose) else { continue };
            for rule in policy.rules.iter().filter(|rule| !rule.is_about_rows()) {
                for column in &rule.columns {
                    let effective = policy.column(&asker, &rule.table, column);
                    let denied = effective.rules.iter().any(|rule| rule.claim.deny);
                    let each = effective.rules.iter().all(|rule| !rule.claim.settled().is_nothing());
                    if effective.access.is_nothing() && !denied && each && effective.rules.len() > 1 {
                        let rules = effective.rules.iter().map(|rule| rule.id.clone()).collect();
                        found.insert((rules, rule.table.clone(), column.clone()));
                    }
                }
            }
        }
    }
    let remark = |(rules, table, column): (Vec<String>, String, String)| Remark {
        message: format!("contradict each other: together they leave nothing of {table}.{column}"),
        rules,
    };
    found.into_iter().map(remark).collect()
}
