//! Do manifest and transformation tell the same story?

use super::{Release, repeated};
use crate::Check;
use crate::transform::Transform;

pub(super) fn check(release: &Release<'_>, transform: &Transform) -> Check {
    let manifest = release.manifest;
    let mut problems = Vec::new();
    for name in repeated(transform.columns.iter().map(|column| column.name.as_str())) {
        problems.push(format!("the transformation has column {name} twice"));
    }
    for name in repeated(manifest.dropped.iter().map(String::as_str)) {
        problems.push(format!("the manifest drops column {name} twice"));
    }
    for name in manifest.dropped.iter().filter(|name| transform.column(name).is_none()) {
        problems.push(format!("dropped column {name} is not in the transformation"));
    }
    for column in &transform.columns {
        if manifest.attribute(&column.name).is_none() && !manifest.dropped.contains(&column.name) {
            problems.push(format!("column {} is neither released nor dropped", column.name));
        }
    }
    for attribute in &manifest.attributes {
        let name = &attribute.name;
        let Some(column) = transform.column(name) else {
            problems.push(format!("column {name} is not in the transformation"));
            continue;
        };
        if column.role != attribute.role {
            problems.push(format!("column {name} has another role in the transformation"));
        }
        if column.treatment != attribute.treatment {
            problems.push(format!("column {name} has another treatment in the transformation"));
        }
        if column.kind != attribute.kind {
            problems.push(format!("column {name} has another type in the transformation"));
        }
        if let (Some(levels), Some((applied, hierarchy))) = (attribute.levels, &column.levels) {
            let (level, height) = (levels.name(), hierarchy.height());
            if (levels.lowest, levels.highest) != (applied.lowest, applied.highest) {
                let applied = applied.name();
                problems.push(format!(
                    "column {name}: level {level} in the manifest, {applied} in the transformation"
                ));
            }
            if let Some(most) = levels.height.filter(|&most| levels.highest > most || most > height) {
                problems.push(format!(
                    "column {name}: level {level} of {most}, but the hierarchy ends at {height}"
                ));
            }
            if applied.highest > height {
                let applied = applied.name();
                problems
                    .push(format!("column {name}: level {applied} is above the hierarchy's last, {height}"));
            }
        }
    }
    if manifest.is_local != transform.boxes.is_some() {
        problems.push("one document speaks of a box for every class, the other does not".to_owned());
    }
    let fine =
        format!("{} columns, the same roles, types and levels in both documents", transform.columns.len());
    Check::new("transform", None, &problems, fine)
}
