//! Evidence for the verifier that cannot be read off the released rows.

use super::Study;
use crate::job::Model;
use paravent_core::criteria::{Distance, ValueTree};
use paravent_core::release::{Fate, Solution};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// For t-closeness: how often each value occurs in the original table, in the order of the distance. Values that no released
/// row shows stay unnamed.
pub fn reference(
    study: &Study,
    model: &Model,
    solution: &Solution,
) -> Result<Map<String, Value>, super::StudyError> {
    let mut evidence = Map::new();
    let Model::TCloseness { attribute, distance, .. } = model else { return Ok(evidence) };
    let (position, column) = study.sensitive_column(attribute);
    let released: HashSet<u32> = study
        .counted
        .tuples_in_table()
        .filter(|&(tuple, _)| {
            solution.fates[study.counted.frequency_tuple[tuple as usize] as usize] == Fate::Kept
        })
        .map(|(_, codes)| codes[study.counted.quasi_identifiers + position])
        .collect();
    let distance = study.translation().distance(attribute, *distance)?;
    let totals = study.totals_of(attribute);
    let mut order: Vec<u32> = match &distance {
        Distance::Ordered { order } => order.clone(),
        Distance::Equal | Distance::Hierarchical(_) | Distance::KullbackLeibler => {
            (0..column.dictionary.len() as u32).collect()
        }
    };
    // Values that only the population shows are not part of the table's distribution.
    order.retain(|&code| totals[code as usize] > 0);
    if !matches!(distance, Distance::Ordered { .. }) {
        // Where the order is free it must not tell between which texts an unnamed value lies.
        order.sort_by_key(|code| match released.contains(code) {
            true => (false, 0, *code),
            false => (true, totals[*code as usize], *code),
        });
    }
    let entry = |&code: &u32| match column.dictionary.cell(code) {
        None => json!({ "missing": true, "count": totals[code as usize] }),
        Some(cell) if released.contains(&code) => json!({ "value": cell, "count": totals[code as usize] }),
        Some(_) => json!({ "value": null, "count": totals[code as usize] }),
    };
    evidence.insert("reference".into(), order.iter().map(entry).collect());
    if let Distance::Hierarchical(tree) = &distance {
        evidence.insert("tree".into(), tree_json(tree, &order));
    }
    Ok(evidence)
}

fn tree_json(tree: &ValueTree, order: &[u32]) -> Value {
    order.iter().map(|&code| Value::from(tree.path(code))).collect()
}

/// For δ-presence and k-map: the size in the population of each released class, and of the classes without a row where those count.
pub fn population_classes(study: &Study, model: &Model, solution: &Solution) -> Map<String, Value> {
    let mut evidence = Map::new();
    let with_absent = match model {
        Model::DeltaPresence { min, .. } => min.as_str() != "0",
        Model::KMap { .. } => false,
        _ => return evidence,
    };
    let table = &study.table;
    let Some(population) = table.population() else { return evidence };
    let levels = solution.node.levels();
    let mut classes: BTreeMap<Vec<Option<&str>>, (u64, bool, u64)> = BTreeMap::new();
    for (tuple, &people) in population.iter().enumerate() {
        let labels = study.ladders.iter().zip(levels).enumerate().map(|(column, (ladder, &level))| {
            let rung = ladder.rung(level);
            rung.labels[rung.group_of[table.column(column)[tuple] as usize] as usize].as_deref()
        });
        let class = classes.entry(labels.collect()).or_default();
        class.0 += u64::from(people);
        class.1 |= table.rows()[tuple] > 0 && solution.fates[tuple] == Fate::Kept;
        class.2 += u64::from(table.rows()[tuple]);
    }
    let listed = classes.into_iter().filter(|(_, (_, kept, rows))| *kept || (with_absent && *rows == 0));
    let list = listed.map(|(labels, (count, _, _))| json!({ "class": labels, "count": count }));
    evidence.insert("population".into(), list.collect());
    evidence
}
