//! `l`, `sensitive` and `merge` of `slice(…)`, and the columns that never leave through it.

use super::call::Call;
use super::function::Known;
use super::origin::origins;
use crate::operator::{Buckets, Demands, Merge};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use paravent_job::Role;
use paravent_slicing::{Limits, Share};

/// The columns of a relation that come from a column with that role.
pub(super) fn with_role(input: &LogicalPlan, known: &Known<'_>, role: Role) -> Result<Vec<Column>> {
    let names = known.catalog.with_role(role);
    let mut found = Vec::new();
    for (place, column) in input.schema().columns().into_iter().enumerate() {
        if !names.is_empty() && origins(input, place)?.iter().any(|origin| names.contains(&origin.as_str())) {
            found.push(column);
        }
    }
    Ok(found)
}

/// The relation without the identifying columns of the job. One that a group names is refused.
pub(super) fn without_identifying(
    call: &Call,
    input: LogicalPlan,
    groups: &[Vec<Column>],
    known: &Known<'_>,
) -> Result<LogicalPlan> {
    let identifying = with_role(&input, known, Role::Identifying)?;
    if let Some(column) = identifying.iter().find(|column| groups.iter().any(|group| group.contains(column)))
    {
        return Err(call.wrong(format!(
            "column {:?} comes from an identifying column of the job, which never leaves; leave it out of the groups",
            column.name
        )));
    }
    if identifying.is_empty() {
        return Ok(input);
    }
    let kept = input.schema().columns().into_iter().filter(|column| !identifying.contains(column));
    let kept: Vec<Expr> = kept.map(Expr::Column).collect();
    LogicalPlanBuilder::from(input).project(kept)?.build()
}

/// What the slicing is held to.
pub(super) fn demands(
    call: &Call,
    input: &LogicalPlan,
    buckets: &Buckets,
    known: &Known<'_>,
) -> Result<Demands> {
    let diversity = call.count("l", 2)?;
    let merge = if call.truth("merge")? { Merge::Neighbours } else { Merge::Refuse };
    let of_job = with_role(input, known, Role::Sensitive)?;
    let sensitive = call.columns("sensitive", input.schema())?.unwrap_or_else(|| of_job.clone());
    if diversity.is_some() && sensitive.is_empty() {
        return Err(
            call.wrong("l: of which column? Write sensitive => a column, or give its role in a job file")
        );
    }
    if let Buckets::By(column) = buckets
        && (sensitive.contains(column) || of_job.contains(column))
    {
        return Err(call.wrong(format!(
            "by: {:?} is sensitive, and every bucket gives its value away; make buckets by another column",
            column.name
        )));
    }
    let unique = if call.truth("allow_identifying")? { Share::ALL } else { Limits::STANDARD.unique };
    let limits = Limits { unique, diversity: diversity.unwrap_or(1), ..Limits::STANDARD };
    Ok(Demands { limits, sensitive: sensitive.into_iter().map(|column| column.name).collect(), merge })
}
