//! Where every class has a box of its own: is each released combination of labels one of the boxes, with as many rows?
//!
//! A cell that was changed to another label of its hierarchy is still a label, and perhaps in a class that is large enough. It
//! is no box that rows were put into, or the box has the wrong number of rows.

use foldhash::{HashMap, HashMapExt};

use super::Release;
use crate::Check;
use crate::data::Column;
use crate::transform::{ReleasedBox, Transform};

pub(super) fn check(release: &Release<'_>, transform: &Transform) -> Option<Check> {
    let boxes = transform.boxes.as_ref()?;
    let mut problems = Vec::new();
    let names: Vec<&str> = release.manifest.generalized().map(|column| column.name.as_str()).collect();
    let columns: Vec<&Column> = names.iter().filter_map(|name| release.data.column(name)).collect();
    let mut rows: HashMap<Vec<Option<&str>>, u64> = HashMap::new();
    let mut repeated = 0;
    for (number, shown) in boxes.iter().enumerate() {
        if let Some(problem) = misfit(release, transform, shown) {
            problems.push(format!("box {}: {problem}", number + 1));
        }
        let labels = shown.labels.iter().map(|label| label.as_deref()).collect();
        repeated += u64::from(rows.insert(labels, shown.rows).is_some());
    }
    if repeated > 0 {
        problems.push(format!("{repeated} boxes read like another one, so they are one class"));
    }
    let (mut strange, mut other, mut first) = (0u64, 0u64, None);
    for (class, &stretch) in release.classes.first.iter().enumerate() {
        let labels = columns.iter().map(|&column| column.text(column.codes.at(stretch as usize)));
        let shown: Vec<Option<&str>> = labels.collect();
        let wrong = match rows.remove(&shown) {
            Some(rows) if rows == release.classes.sizes[class] => continue,
            Some(_) => &mut other,
            None => &mut strange,
        };
        *wrong += 1;
        first.get_or_insert(release.classes.first_rows[class] + 1);
    }
    let place = first.map_or_else(String::new, |row| format!(", first in row {row}"));
    if strange > 0 {
        problems.push(format!("{strange} classes are no box of the transformation{place}"));
    }
    if other > 0 {
        problems.push(format!("{other} classes have another number of rows than their box{place}"));
    }
    if !rows.is_empty() {
        problems.push(format!("{} boxes of the transformation are not in the file", rows.len()));
    }
    let fine = format!("{} boxes, each with as many rows as the transformation says", boxes.len());
    Some(Check::new("boxes", None, &problems, fine))
}

/// What is wrong with the labels of a box.
fn misfit(release: &Release<'_>, transform: &Transform, shown: &ReleasedBox) -> Option<String> {
    let columns: Vec<_> = release.manifest.generalized().collect();
    if shown.labels.len() != columns.len() || shown.levels.len() != columns.len() {
        return Some(format!("{} labels for {} quasi-identifiers", shown.labels.len(), columns.len()));
    }
    for ((column, label), &level) in columns.iter().zip(&shown.labels).zip(&shown.levels) {
        let known = transform.column(&column.name).and_then(|recoding| recoding.levels.as_ref());
        let Some((levels, hierarchy)) = known else { continue };
        let name = &column.name;
        if level < levels.lowest || level > levels.highest {
            return Some(format!("column {name} is on level {level}, not {}", levels.name()));
        }
        if !hierarchy.admits(level, label.as_deref(), column.kind) {
            return Some(format!("column {name} shows no label of level {level}"));
        }
    }
    None
}
