//! The values that a column can have, from the job file.

use super::wording::problem;
use crate::catalog::Catalog;
use datafusion::common::Result;
use paravent_job::{Group, HierarchySpec, Members};
use paravent_prepare::hierarchies::{FileOptions, HierarchyLines};

/// The values in the order in which the job or the hierarchy file lists them; `None` where neither does.
pub(super) fn of(column: &str, catalog: &Catalog, place: &str) -> Result<Option<Vec<String>>> {
    let (Some(job), Some(attribute)) = (catalog.job(), catalog.attribute(column)) else { return Ok(None) };
    if let Some(order) = &attribute.order {
        return Ok(Some(order.clone()));
    }
    match &attribute.hierarchy {
        Some(HierarchySpec::File(file)) => {
            let options = FileOptions {
                delimiter: file.delimiter.map(|delimiter| delimiter.byte()),
                null: job.input.null.clone(),
            };
            let lines = HierarchyLines::read(&job.resolve(&file.path), &options)
                .map_err(|problems| problem(format!("{place}: {problems}")))?;
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
