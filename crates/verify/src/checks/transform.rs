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
        if column.kind != attribute.kind {
            problems.push(format!("column {name} has another type in the transformation"));
        }
        if let (Some((level, max_level)), Some((applied, hierarchy))) = (attribute.level, &column.level) {
            if level != *applied {
                problems.push(format!(
                    "column {name}: level {level} in the manifest, {applied} in the transformation"
                ));
            }
            if let Some(max_level) = max_level.filter(|&most| level > most || most > hierarchy.height()) {
                let height = hierarchy.height();
                problems.push(format!(
                    "column {name}: level {level} of {max_level}, but the hierarchy ends at {height}"
                ));
            }
            if *applied > hierarchy.height() {
                problems.push(format!(
                    "column {name}: level {applied} is above the hierarchy's last, {}",
                    hierarchy.height()
                ));
            }
        }
    }
    let fine =
        format!("{} columns, the same roles, types and levels in both documents", transform.columns.len());
    Check::new("transform", None, &problems, fine)
}
