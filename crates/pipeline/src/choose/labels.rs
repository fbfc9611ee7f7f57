//! What a level shows, in labels.

use paravent_core::hierarchy::Ladder;
use paravent_core::release::Solution;
use paravent_prepare::study::{Study, StudyError};
use serde_json::{Map, Value, json};

/// Labels that are named; the rest is counted.
const MOST_NAMED: usize = 4;

/// The labels of a column on one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelsShown {
    /// The first of them, in the order of the values.
    pub named: Vec<String>,
    /// How many there are.
    pub distinct: usize,
}

impl LabelsShown {
    /// `20-39, 40-59, … (5)`
    pub fn text(&self, most: usize) -> String {
        let named: Vec<&str> = self.named.iter().take(most).map(String::as_str).collect();
        match self.distinct.saturating_sub(named.len()) {
            0 => named.join(", "),
            _ => format!("{}, … ({})", named.join(", "), self.distinct),
        }
    }
}

/// The labels of `level` that at least `least` of the rows show; `rows` by code.
pub fn labels_at(ladder: &Ladder, level: u8, rows: &[u64], least: u64) -> LabelsShown {
    let rung = ladder.rung(level);
    let mut shown = vec![0u64; rung.labels.len()];
    let mut order: Vec<usize> = Vec::new();
    for (&group, &rows) in rung.group_of.iter().zip(rows) {
        let group = group as usize;
        if rows > 0 && shown[group] == 0 {
            order.push(group);
        }
        shown[group] += rows;
    }
    let distinct = order.len();
    let named = order.iter().filter(|&&group| shown[group] >= least.max(1));
    let named = named.filter_map(|&group| rung.labels[group].clone()).take(MOST_NAMED).collect();
    LabelsShown { named, distinct }
}

/// By quasi-identifier: what the released rows show of it. Nothing where every class has labels of its own.
pub fn labels_of(study: &Study, solution: &Solution) -> Result<Map<String, Value>, StudyError> {
    if solution.boxes.is_some() {
        return Ok(Map::new());
    }
    let kept = study.kept_rows_by_code(solution)?;
    let columns = study.task.ladders().iter().zip(solution.node.levels()).enumerate();
    let shown = columns.map(|(position, (ladder, &level))| {
        let name = study.counted.columns[position].name.clone();
        let LabelsShown { named, distinct } = labels_at(ladder, level, &kept[position], 1);
        (name, json!({ "shown": named, "distinct": distinct }))
    });
    Ok(shown.collect())
}
