//! Rules against the columns that jobs declare.

use crate::access::Extent;
use crate::effective::meant;
use crate::policy::Policy;
use crate::tables::{Place, Table, Whose};
use paravent_job::{Attribute, HierarchySpec, Job, Problems, shortened};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the jobs that the policy names, and checks its rules against their columns. Gives the jobs by table.
///
/// # Errors
/// All problems of the policy and of the jobs.
pub fn check_columns(policy: &Policy) -> Result<BTreeMap<String, Job>, Problems> {
    let (mut jobs, mut problems) = (BTreeMap::new(), Problems::new());
    for (place, table) in policy.tables.iter().enumerate() {
        let Place::Job(path) = &table.place else { continue };
        match Job::load(&policy.source.resolve(path)) {
            Ok(job) => {
                person(policy, place, table, &job, &mut problems);
                rules(policy, table, &job, &mut problems);
                domain(policy, place, table, &job, &mut problems);
                jobs.insert(table.name.clone(), job);
            }
            Err(found) => problems.extend(found),
        }
    }
    problems.into_result(jobs)
}

/// The columns of a table that a rule of the policy, or the job, mentions. Nobody may do anything with others.
pub fn mentioned_columns(policy: &Policy, table: &str, jobs: &BTreeMap<String, Job>) -> BTreeSet<String> {
    let rules = policy.rules.iter().filter(|rule| rule.table == table);
    let of_rules = rules.flat_map(|rule| rule.columns.iter().cloned());
    let job = jobs.get(table).into_iter().flat_map(|job| &job.attributes);
    of_rules.chain(job.map(|attribute| attribute.name.clone())).collect()
}

/// The policy and the job speak of the same people.
fn person(policy: &Policy, place: usize, table: &Table, job: &Job, problems: &mut Problems) {
    let Whose::Person(columns) = &table.whose else { return };
    let key = format!("tables[{place}].person");
    for column in columns.iter().filter(|column| job.attribute(column).is_none()) {
        let message = format!("the job does not declare the column {}", shortened(column));
        problems.push(policy.source.problem(&key, message).advise(declared(column, job)));
    }
    let own = &job.privacy.person;
    if !own.is_empty() && own != columns {
        let message = "the job says another person";
        let advice = format!(
            "Write person = [{}]",
            own.iter().map(|name| shortened(name)).collect::<Vec<_>>().join(", ")
        );
        problems.push(policy.source.problem(&key, message).advise(advice));
    }
}

fn rules(policy: &Policy, table: &Table, job: &Job, problems: &mut Problems) {
    for (place, rule) in policy.rules.iter().enumerate().filter(|(_, rule)| rule.table == table.name) {
        // A column that is denied need not be declared anywhere.
        if rule.claim.deny {
            continue;
        }
        for column in &rule.columns {
            let Some((_, attribute)) = job.attribute(column) else {
                let message = format!("the job of the table does not declare {}", shortened(column));
                let problem = policy.source.problem(&format!("rules[{place}].columns"), message);
                problems.push(problem.advise(declared(column, job)));
                continue;
            };
            let extents =
                [("show", rule.claim.show), ("filter", rule.claim.filter), ("group", rule.claim.group)];
            for (key, extent) in extents {
                let Some(Extent::From(level @ 1..)) = extent else { continue };
                if let Some((message, advice)) = no_label(attribute, level) {
                    let problem = policy.source.problem(&format!("rules[{place}].{key}"), message);
                    problems.push(problem.advise(advice));
                }
            }
        }
        for column in rule.rows.times.keys().filter(|column| job.attribute(column).is_none()) {
            let message = format!("the job of the table does not declare {}", shortened(column));
            let problem = policy.source.problem(&format!("rules[{place}].times.column"), message);
            problems.push(problem.advise(declared(column, job)));
        }
    }
}

fn domain(policy: &Policy, place: usize, table: &Table, job: &Job, problems: &mut Problems) {
    for column in table.domain.keys().filter(|column| job.attribute(column).is_none()) {
        let message = format!("the job does not declare the column {}", shortened(column));
        let key = format!("tables[{place}].domain");
        problems.push(policy.source.problem(&key, message).advise(declared(column, job)));
    }
}

/// Why a column has no label that a policy could name in advance.
fn no_label(attribute: &Attribute, level: u8) -> Option<(String, &'static str)> {
    let name = shortened(&attribute.name);
    match &attribute.hierarchy {
        None => Some((
            format!("{name} has no hierarchy in the job, so there is no level {level}"),
            "Give it one there, or write true or false",
        )),
        Some(spec) if is_made_from_data(spec, attribute) => Some((
            format!("the labels of {name} are formed from the values that occur, and so would tell of them"),
            "Write them down: a file, intervals, groups by hand, or the length of a redaction",
        )),
        Some(_) => None,
    }
}

/// Whether labels depend on the values or the counts of the table.
pub(crate) fn is_made_from_data(spec: &HierarchySpec, attribute: &Attribute) -> bool {
    spec.depends_on_other_values(attribute.order.is_some())
}

fn declared(column: &str, job: &Job) -> String {
    let names: Vec<&str> = job.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    meant(column, &names, "Columns")
}
