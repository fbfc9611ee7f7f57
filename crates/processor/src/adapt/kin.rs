//! Tables about the same people, and tables that are one file: what is answered of one of them is known beside the others.

use super::joins::root;
use paravent_job::{InputSource, Job};
use paravent_policy::{Policy, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn file(job: &Job) -> Option<PathBuf> {
    match &job.input.source {
        InputSource::File(path) => Some(job.resolve(path)),
        InputSource::Stdin | InputSource::Engine { .. } => None,
    }
}

/// The name under which rows of a table are registered: of several tables with one file the first, so that they are the same rows.
pub(super) fn known_as<'p>(policy: &'p Policy, name: &'p str, jobs: &BTreeMap<String, Job>) -> &'p str {
    let Some(own) = jobs.get(name).and_then(file) else { return name };
    let mut names = policy.tables.iter().map(|table| table.name.as_str());
    names.find(|other| jobs.get(*other).and_then(file).as_ref() == Some(&own)).unwrap_or(name)
}

/// All tables about the people of a table, by the names under which their rows are registered.
pub(super) fn kin(policy: &Policy, table: &Table, jobs: &BTreeMap<String, Job>) -> BTreeSet<String> {
    let people = |table| known_as(policy, root(table), jobs);
    let own = people(table);
    let all = policy.tables.iter().filter(|other| people(other) == own);
    all.map(|other| known_as(policy, &other.name, jobs).to_owned()).collect()
}
