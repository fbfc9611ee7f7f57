//! A noisy release: `"kind": "noise"` in its manifest.
//!
//! The manifest says which probabilities the cells were drawn with. From these alone ε and δ are computed again, with whole numbers, and held against what is
//! promised; every cell must be a value of its noise. That the cells really were drawn so, from a key that nobody knows, cannot be seen in them. It is
//! taken on trust, and so is that columns without noise are harmless.

mod exact;
mod laws;
mod ledger;
mod stated;
mod steps;

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::data::{self, Data};
use crate::folder::Folder;
use crate::{Check, MANIFEST, NotChecked, Trusted, Verification, VerifyError, kinds};
use exact::Rational;
use stated::{Noisy, Stated};

/// Whether a manifest describes a noisy release.
pub(crate) fn is_noisy(document: &Value) -> bool {
    document.get("kind").and_then(Value::as_str) == Some("noise")
}

/// Re-checks a noisy release from its files alone; with the private folder beside it, also what was paid.
pub(crate) fn verify(dir: &Folder<'_>, bytes: &[u8], document: &Value) -> Result<Verification, VerifyError> {
    let noisy = Noisy::parse(document)?;
    let (data, mut verification) = kinds::read(dir, (bytes, document), &noisy.output, &stated::SHAPE)?;
    let Verification { checks, trusted, not_checked, .. } = &mut verification;
    checks.push(columns(&noisy, &data));
    for stated in &noisy.columns {
        checks.push(domain(stated, &data));
        match laws::judge(stated) {
            Ok(check) => checks.push(check),
            Err(why) => not_checked.push(NotChecked {
                name: "epsilon".to_owned(),
                subject: Some(stated.column.clone()),
                why,
            }),
        }
    }
    checks.push(sums(&noisy));
    let (check, open) = ledger::check(dir, &noisy, &data::sha256(bytes));
    checks.push(check);
    not_checked.extend(open);
    trusted.insert(0, trust(&noisy));
    Ok(verification)
}

/// The columns that are announced, no identifying one among them, and noise on columns that are there, once each.
fn columns(noisy: &Noisy, data: &Data) -> Check {
    let mut problems = Vec::new();
    let found: Vec<&str> = data.columns.iter().map(|column| column.name.as_str()).collect();
    if found != noisy.released.iter().map(String::as_str).collect::<Vec<_>>() {
        problems.push("the columns are not those of the manifest".to_owned());
    }
    if found.iter().collect::<HashSet<_>>().len() < found.len() {
        problems.push("two columns have one name".to_owned());
    }
    let gone = noisy.dropped.iter().filter(|name| found.contains(&name.as_str()));
    problems.extend(gone.map(|name| format!("{name} should be gone")));
    let mut seen = HashSet::new();
    for stated in &noisy.columns {
        if !seen.insert(&stated.column) {
            problems.push(format!("{} has noise twice", stated.column));
        }
        if !found.contains(&stated.column.as_str()) {
            problems.push(format!("{} has noise and is not in the file", stated.column));
        }
    }
    let fine = format!("{} columns, {} of them with noise", found.len(), noisy.columns.len());
    Check::new("columns", None, &problems, fine)
}

/// Every cell is a value of its noise.
fn domain(stated: &Stated, data: &Data) -> Check {
    let mut problems = Vec::new();
    if let Some(column) = data.column(&stated.column) {
        let mut used = HashSet::new();
        column.codes.each(|_, code| {
            used.insert(code);
        });
        let strangers = used.into_iter().filter(|&code| !stated.has(column.text(code))).count();
        if strangers > 0 {
            problems.push(format!("{strangers} different cells are no value of the noise"));
        }
    }
    let fine = format!("every cell is one of {} values", stated.values());
    Check::new("domain", Some(&stated.column), &problems, fine)
}

/// The ε and δ of the columns add up to those of the release.
fn sums(noisy: &Noisy) -> Check {
    let mut problems = Vec::new();
    let bounded = noisy.columns.iter().all(|stated| stated.promise.is_some());
    if bounded != noisy.bounded {
        problems.push("whether an ε bounds the release is not what its columns say".to_owned());
    }
    let promises = || noisy.columns.iter().filter_map(|stated| stated.promise.as_ref());
    let epsilon = Rational::sum(promises().map(|(epsilon, _)| epsilon));
    let delta = Rational::sum(promises().map(|(_, delta)| delta));
    let rows = Rational::whole(noisy.rows_per_person.unwrap_or(1));
    let (epsilon, delta) = (epsilon.times(&rows), delta.times(&rows));
    if noisy.rows_per_person == Some(0) {
        problems.push("a person has at least one row".to_owned());
    }
    if epsilon != noisy.epsilon {
        problems.push("the ε of the columns do not add up to that of the release".to_owned());
    }
    if delta != noisy.delta {
        problems.push("the δ of the columns do not add up to that of the release".to_owned());
    }
    let fine = match noisy.rows_per_person {
        None | Some(1) => "ε and δ of the columns add up to those of the release".to_owned(),
        Some(rows) => {
            format!("ε and δ of the columns, times {rows} rows of one person, are those of the release")
        }
    };
    Check::new("budget", None, &problems, fine)
}

fn trust(noisy: &Noisy) -> Trusted {
    let mut taken =
        vec!["that every cell was drawn with the stated probabilities, from a key that nobody knows"];
    if noisy.seeded {
        taken.push("nothing against those who know the seed: the noise can be taken off with it");
    }
    taken.push("which columns need noise");
    if !noisy.dropped.is_empty() {
        taken.push("which columns identify people");
    }
    if noisy.rows_per_person.is_some() {
        taken.push("how many rows a person has at most");
    }
    taken.push("that the rows come from the original");
    Trusted { what: "noise", detail: taken.join("; "), said: json!(taken) }
}

/// The name of the file, for complaints.
const FILE: &str = MANIFEST;
