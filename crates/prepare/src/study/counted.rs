//! Hierarchies that are made from the values that occur and how often: rare values lumped, near values clustered.

use super::levels::least_rows;
use paravent_core::hierarchy::{Hierarchy, cluster, lump_rare};
use paravent_job::{HierarchySpec, Job, Problems};
use paravent_tables::encode::CodedColumn;

/// The hierarchy of an attribute that is counted in the data; `None` for all others.
///
/// A value counts as rare below max(5, k) rows at least, whatever the job says: its row may well be suppressed, and then no label
/// may name it.
pub(super) fn counted_hierarchy(
    job: &Job,
    attribute: usize,
    (column, rows): (&CodedColumn, &[u64]),
) -> Result<Option<Hierarchy>, Problems> {
    let key = format!("attributes[{attribute}].hierarchy");
    let cells = column.dictionary.cells();
    let present: Vec<(&str, u64)> =
        cells.iter().zip(rows).filter_map(|(cell, &rows)| Some(((*cell)?, rows))).collect();
    let (values, counts): (Vec<&str>, Vec<u64>) = present.into_iter().unzip();
    let made = match &job.attributes[attribute].hierarchy {
        Some(HierarchySpec::Lump(spec)) => {
            let least: Vec<u64> = spec.least.iter().map(|&rows| rows.max(least_rows(job))).collect();
            lump_rare(&values, &counts, &least, &spec.label)
                .map_err(|error| job.problem(&format!("{key}.lump"), error.to_string()))
        }
        Some(HierarchySpec::Cluster(spec)) => {
            let sizes: Vec<usize> = spec.sizes.iter().map(|&size| size as usize).collect();
            cluster(&values, &counts, column.value_type, &sizes)
                .map_err(|error| job.problem(&format!("{key}.cluster"), error.to_string()))
        }
        _ => return Ok(None),
    };
    Ok(Some(Hierarchy::Table(made.map_err(Problems::from)?)))
}
