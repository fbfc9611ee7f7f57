//! Attack queries against a policy: what would a recipient get?
//!
//! The families are those that statistical databases have been attacked by: what is denied in every place of a statement, extremes, tiny groups,
//! complements, trackers, averaging, joins, subqueries, errors and times as oracles, the catalog. Statements are made from the policy's own
//! tables and columns and judged by the stages that refuse; nothing is run, no table is read, nothing is paid.

mod families;
mod joins;
mod judged;

use crate::refusal::AskError;
use paravent_policy::{Aggregate, Extent, Policy, check_columns};

/// What became of an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not answered, and why.
    Refused(String),
    /// Answered in a way that tells nothing about single people, and why.
    Harmless(String),
    /// Answered, and the policy leaves a hole: what to change.
    Exposed(String),
}

/// One attack and its verdict.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The kind of attack.
    pub family: &'static str,
    /// What was asked; made of names of the policy, and no cell.
    pub statement: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// The columns of a table by what a recipient may do with them.
struct Columns {
    table: String,
    /// Not at all.
    denied: Vec<String>,
    /// Groups.
    grouped: Vec<String>,
    /// Conditions, and the level of their labels.
    filtered: Vec<(String, u8)>,
    /// Sums or means.
    measured: Vec<(String, Aggregate)>,
    /// Shown.
    shown: Vec<String>,
}

/// Tries every family on every table.
///
/// # Errors
/// A recipient or a purpose that the policy does not know, or a policy that is wrong.
pub fn attack(policy: &Policy, role: &str, purpose: &str) -> Result<Vec<Attempt>, AskError> {
    let asker = policy
        .asker(role, purpose)
        .map_err(|denied| crate::refusal::Refusal::new(denied.message, denied.advice))?;
    let jobs = check_columns(policy)?;
    let mut attempts = Vec::new();
    for table in &policy.tables {
        let Some(job) = jobs.get(&table.name) else { continue };
        let mut columns = Columns {
            table: table.name.clone(),
            denied: Vec::new(),
            grouped: Vec::new(),
            filtered: Vec::new(),
            measured: Vec::new(),
            shown: Vec::new(),
        };
        for attribute in &job.attributes {
            let name = attribute.name.clone();
            let access = policy.column(&asker, &table.name, &name).access;
            if access.is_nothing() {
                columns.denied.push(name.clone());
            }
            if access.group != Extent::Denied && access.aggregate.contains(&Aggregate::Count) {
                columns.grouped.push(name.clone());
            }
            if let Extent::From(level) = access.filter {
                columns.filtered.push((name.clone(), level));
            }
            if access.show != Extent::Denied {
                columns.shown.push(name.clone());
            }
            for figure in [Aggregate::Sum, Aggregate::Avg] {
                if access.aggregate.contains(&figure) {
                    columns.measured.push((name.clone(), figure));
                }
            }
        }
        for (family, statement) in families::statements(&columns) {
            let verdict = judged::of(policy, role, purpose, &statement, family)?;
            attempts.push(Attempt { family: family.name(), statement, verdict });
        }
        attempts.extend(judged::repeated(policy, role, purpose, &columns)?);
    }
    for (family, statement) in joins::statements(policy) {
        let verdict = judged::of(policy, role, purpose, &statement, family)?;
        attempts.push(Attempt { family: family.name(), statement, verdict });
    }
    Ok(attempts)
}
