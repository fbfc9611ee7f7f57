//! Evidence for the verifier that cannot be read off the released rows.

use super::Study;
use paravent_core::criteria::{Distance, ValueTree};
use paravent_core::release::{Boxes, Fate, Solution};
use paravent_core::search::{CheckError, SearchError};
use paravent_job::Model;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// For t-closeness: how often each value occurs in the original table, in the order of the distance. Values that no released
/// row shows stay unnamed.
pub fn reference(
    study: &Study,
    model: &Model,
    solution: &Solution,
) -> Result<Map<String, Value>, super::StudyError> {
    let mut evidence = Map::new();
    let Some((attribute, distance)) = model.reference() else { return Ok(evidence) };
    let (position, column) = study.sensitive_column(attribute);
    let kept = study.kept_rows_by_code(solution)?;
    let kept = &kept[study.counted.quasi_identifiers + position];
    let is_released = |code: u32| kept[code as usize] > 0;
    let distance = study.translation().distance(attribute, distance)?;
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
        order.sort_by_key(|code| match is_released(*code) {
            true => (false, 0, *code),
            false => (true, totals[*code as usize], *code),
        });
    }
    let entry = |&code: &u32| match column.dictionary.cell(code) {
        None => json!({ "missing": true, "count": totals[code as usize] }),
        Some(cell) if is_released(code) => json!({ "value": cell, "count": totals[code as usize] }),
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
pub fn population_classes(
    study: &Study,
    model: &Model,
    solution: &Solution,
) -> Result<Map<String, Value>, super::StudyError> {
    let mut evidence = Map::new();
    if model.population().is_none() {
        return Ok(evidence);
    }
    if let Some(boxes) = &solution.boxes {
        evidence.extend(population_of_boxes(study, boxes)?);
        return Ok(evidence);
    }
    let with_absent = model.judges_absent_classes();
    let levels = solution.node.levels();
    let mut classes: BTreeMap<Vec<Option<&str>>, (u64, bool, u64)> = BTreeMap::new();
    let people = study.checker().population_of_tuples(&solution.node);
    let (mut has_population, mut before) = (false, 0);
    let mut codes = vec![0u32; study.task.ladders().len()];
    let read = study.table.source().pieces(&mut |piece| {
        let Some(population) = piece.population() else { return ControlFlow::Break(()) };
        has_population = true;
        for (tuple, &rows_there) in population.iter().enumerate() {
            codes.iter_mut().enumerate().for_each(|(column, code)| *code = piece.column(column).get(tuple));
            let labels =
                study.task.ladders().iter().zip(levels).zip(&codes).map(|((ladder, &level), &code)| {
                    let rung = ladder.rung(level);
                    rung.labels[rung.group_of[code as usize] as usize].as_deref()
                });
            let (class, rows) = (classes.entry(labels.collect()).or_default(), piece.rows()[tuple]);
            match &people {
                // Different people of the whole class, the same number for each of its tuples.
                Some(people) => class.0 = u64::from(people[before + tuple]),
                None => class.0 += u64::from(rows_there),
            }
            class.1 |= rows > 0 && solution.fates.of(before + tuple, &codes) == Fate::Kept;
            class.2 += u64::from(rows);
        }
        before += population.len();
        ControlFlow::Continue(())
    });
    read.map_err(|error| SearchError::from(CheckError::from(error)))?;
    if !has_population {
        return Ok(evidence);
    }
    let listed = classes.into_iter().filter(|(_, (_, kept, rows))| *kept || (with_absent && *rows == 0));
    let list = listed.map(|(labels, (count, _, _))| json!({ "class": labels, "count": count }));
    evidence.insert("population".into(), list.collect());
    Ok(evidence)
}

/// The same where every class has a box: rows of the population belong to the box of the rows that they are alike in everything; those that
/// are like no row of the table belong to the one box that covers them.
fn population_of_boxes(study: &Study, boxes: &Boxes) -> Result<Option<(String, Value)>, super::StudyError> {
    if study.table.source().held().is_none_or(|table| table.population().is_none()) {
        return Ok(None);
    }
    let mut counts = Vec::with_capacity(boxes.boxes.len());
    study.visit_boxes(boxes, |class| counts.push(class.population))?;
    let mut classes: Vec<(Vec<Option<&str>>, u64)> = (boxes.boxes.iter().zip(counts))
        .map(|(shown, count)| {
            let places = study.task.ladders().iter().zip(shown.levels.iter().zip(&shown.groups));
            let labels =
                places.map(|(ladder, (&level, &group))| ladder.rung(level).labels[group as usize].as_deref());
            (labels.collect(), count)
        })
        .collect();
    classes.sort();
    let list = classes.into_iter().map(|(labels, count)| json!({ "class": labels, "count": count }));
    Ok(Some(("population".to_owned(), list.collect())))
}
