//! What the verifier needs beyond the released rows: the parties counted it together, nobody saw the rows it comes from.

use super::{JointColumn, JointRelease};
use paravent_job::{Distance, Model};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How often each value of a column occurs in the rows of all parties, suppressed ones included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JointReference {
    /// By label of the column.
    pub shown: Vec<JointCount>,
    /// Values that no released row shows: how often, not which.
    pub withheld: Vec<JointCount>,
}

/// Rows of one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JointCount {
    /// How many.
    pub rows: u64,
    /// Its branch of the hierarchy on each level from 1 to the root, by number.
    pub branches: Vec<u32>,
}

/// How large classes are in the population.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JointPopulation {
    /// Rows of all parties.
    pub rows: u64,
    /// Classes of the population without a row of the table.
    pub empty_classes: u64,
    /// By released row: rows of the population in its class.
    pub of_row: Vec<u32>,
}

/// What stands beside a promise in the manifest, as in that of a single place.
pub(super) fn evidence(release: &JointRelease, model: &Model) -> Map<String, Value> {
    let mut evidence = Map::new();
    match model {
        Model::TCloseness(paravent_job::models::TCloseness { attribute, distance, .. }) => {
            let column = release.columns.iter().find(|column| column.name == *attribute);
            if let Some((column, reference)) =
                column.and_then(|column| Some((column, column.reference.as_ref()?)))
            {
                evidence.insert("reference".into(), counts(column, reference));
                if *distance == Distance::Hierarchical {
                    let all = reference.shown.iter().chain(&reference.withheld);
                    evidence.insert("tree".into(), all.map(|count| json!(count.branches)).collect());
                }
            }
        }
        model if model.population().is_some() => {
            evidence.extend(population(release).map(|classes| ("population".to_owned(), classes)));
        }
        _ => {}
    }
    evidence
}

fn counts(column: &JointColumn, reference: &JointReference) -> Value {
    let shown = column.labels.iter().zip(&reference.shown).map(|(label, count)| match label {
        Some(label) => json!({ "value": label, "count": count.rows }),
        None => json!({ "missing": true, "count": count.rows }),
    });
    let withheld = reference.withheld.iter().map(|count| json!({ "value": null, "count": count.rows }));
    shown.chain(withheld).collect()
}

fn population(release: &JointRelease) -> Option<Value> {
    let population = release.population.as_ref()?;
    let columns: Vec<&JointColumn> = release.columns.iter().filter(|column| column.level.is_some()).collect();
    let mut classes: BTreeMap<Vec<&Option<String>>, u32> = BTreeMap::new();
    for (row, &size) in population.of_row.iter().enumerate() {
        let labels = columns.iter().map(|column| &column.labels[column.cells[row] as usize]);
        classes.insert(labels.collect(), size);
    }
    Some(classes.into_iter().map(|(labels, size)| json!({ "class": labels, "count": size })).collect())
}

/// What the verifier found for a promise. A class of the population without a row counts for the least share, and only the parties know of it.
pub(super) fn achieved(release: &JointRelease, model: &Model, found: Value) -> Value {
    let empty = release.population.as_ref().is_some_and(|population| population.empty_classes > 0);
    match model {
        Model::DeltaPresence(_) if empty => {
            let mut found = found;
            found["min"] = json!(0.0);
            found
        }
        _ => found,
    }
}
