//! Hierarchies that are made from the values that occur and how often: rare values lumped, near values clustered.

use super::levels::least_rows;
use paravent_core::hierarchy::Hierarchy;
use paravent_job::{CountedValues, Job, Problems};
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
    let Some(spec) = &job.attributes[attribute].hierarchy else { return Ok(None) };
    let counted = CountedValues {
        values: &values,
        counts: &counts,
        value_type: column.value_type,
        least_rows: least_rows(job),
    };
    let made = spec.count(&counted).transpose();
    made.map_err(|(builder, message)| job.problem(&format!("{key}.{builder}"), message).into())
}
