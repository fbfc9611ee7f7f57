//! Who was left out: for the private folder, and for nobody else.

use paravent_core::release::Solution;
use paravent_prepare::study::{Study, StudyError};
use paravent_report::{LeftOut, LeftOutClass};
use serde_json::json;
use std::collections::BTreeMap;

/// Classes that are listed; more are counted.
const MOST_LISTED: usize = 1000;

/// The classes of which rows were suppressed, by the labels they would have been released with.
pub fn left_out(study: &Study, solution: &Solution) -> Result<LeftOut, StudyError> {
    let quasi = study.counted.quasi_identifiers;
    let mut classes: BTreeMap<Vec<Option<&str>>, u64> = BTreeMap::new();
    study.each_released(solution, |tuple, kept| {
        let codes = &tuple.codes[..quasi];
        if kept < tuple.count {
            let levels = study.task.ladders().iter().zip(solution.node.levels());
            let labels = levels.zip(codes).map(|((ladder, &level), &code)| {
                let rung = ladder.rung(level);
                rung.labels[rung.group_of[code as usize] as usize].as_deref()
            });
            *classes.entry(labels.collect()).or_insert(0) += tuple.count - kept;
        }
    })?;
    let names: Vec<&str> = study.counted.columns[..quasi].iter().map(|column| column.name.as_str()).collect();
    let listed = classes.iter().take(MOST_LISTED).map(|(labels, &rows)| LeftOutClass {
        labels: names.iter().zip(labels).map(|(name, label)| ((*name).to_owned(), json!(label))).collect(),
        rows,
    });
    Ok(LeftOut { classes: classes.len() as u64, listed: listed.collect() })
}
