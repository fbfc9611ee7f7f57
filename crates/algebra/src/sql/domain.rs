//! The values that a column can have, from the job file.

use super::wording::problem;
use crate::catalog::Catalog;
use datafusion::common::Result;
use paravent_prepare::hierarchies::declared_values;

/// The values in the order in which the job or the hierarchy file lists them; `None` where neither does.
pub(super) fn of(column: &str, catalog: &Catalog, place: &str) -> Result<Option<Vec<String>>> {
    let (Some(job), Some(attribute)) = (catalog.job(), catalog.attribute(column)) else { return Ok(None) };
    declared_values(job, &attribute.name).map_err(|problems| problem(format!("{place}: {problems}")))
}
