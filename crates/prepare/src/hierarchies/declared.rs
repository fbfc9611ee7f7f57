//! The values that a column can have, from the job.

use super::{FileOptions, HierarchyLines};
use paravent_job::{Group, HierarchySpec, Job, Members, Problems};

/// The values in the order in which the job or the hierarchy file lists them; `None` where neither does.
///
/// # Errors
/// If the hierarchy file cannot be read.
pub fn declared_values(job: &Job, column: &str) -> Result<Option<Vec<String>>, Problems> {
    let Some((_, attribute)) = job.attribute(column) else { return Ok(None) };
    if let Some(order) = &attribute.order {
        return Ok(Some(order.clone()));
    }
    match &attribute.hierarchy {
        Some(HierarchySpec::File(file)) => {
            let options = FileOptions {
                delimiter: file.delimiter.map(|delimiter| delimiter.byte()),
                null: job.input.null.clone(),
            };
            let lines = HierarchyLines::read(&job.resolve(&file.path), &options)?;
            let mut values: Vec<String> = Vec::new();
            for value in lines.rows.iter().filter_map(|row| row.value()) {
                if values.last().is_none_or(|last| last != value) {
                    values.push(value.to_owned());
                }
            }
            Ok(Some(values))
        }
        Some(HierarchySpec::Order(groups)) => {
            let mut values = Vec::new();
            groups.iter().for_each(|group| collect(group, &mut values));
            Ok(Some(values))
        }
        _ => Ok(None),
    }
}

fn collect(group: &Group, values: &mut Vec<String>) {
    match &group.members {
        Members::Values(own) => values.extend(own.iter().cloned()),
        Members::Groups(groups) => groups.iter().for_each(|group| collect(group, values)),
    }
}
