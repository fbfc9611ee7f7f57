//! Who was suppressed: for the private folder only.

use paravent_core::release::Solution;
use paravent_prepare::study::{Study, StudyError};
use paravent_report::{LeftOut, LeftOutClass, LeftOutGroup};
use serde_json::json;
use std::collections::BTreeMap;

/// Classes that are listed; more are counted.
const MOST_LISTED: usize = 1000;

/// Labels of a column that are told one by one: a longer list would not be read.
const MOST_GROUPS: usize = 12;

/// By quasi-identifier, on the finest level with few labels: how many rows there are of each, and how many were left out.
fn groups(study: &Study, solution: &Solution) -> Result<Vec<LeftOutGroup>, StudyError> {
    let kept = study.kept_rows_by_code(solution)?;
    let mut groups = Vec::new();
    for (position, ladder) in study.task.ladders().iter().enumerate() {
        let mut levels = (0..=ladder.max_level()).map(|level| ladder.rung(level));
        let Some(rung) = levels.find(|rung| (2..=MOST_GROUPS).contains(&rung.labels.len())) else { continue };
        let mut rows = vec![(0u64, 0u64); rung.labels.len()];
        let counted = study.counted.rows_by_code(position).iter().zip(&kept[position]);
        for (&group, (&all, &kept)) in rung.group_of.iter().zip(counted) {
            rows[group as usize].0 += all;
            rows[group as usize].1 += all - kept;
        }
        let column = &study.counted.columns[position].name;
        groups.extend(rung.labels.iter().zip(rows).filter(|(_, (rows, _))| *rows > 0).map(
            |(label, (rows, suppressed))| LeftOutGroup {
                column: column.clone(),
                label: label.clone(),
                rows,
                suppressed,
            },
        ));
    }
    Ok(groups)
}

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
    let listed = listed.collect();
    Ok(LeftOut { classes: classes.len() as u64, listed, groups: groups(study, solution)? })
}
