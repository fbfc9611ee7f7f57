//! Planning groups for a table.

use super::{CodedTable, SliceError};
use paravent_job::{Job, Role};
use paravent_slicing::planner::{self, Obstacle, Planning};
use paravent_slicing::{IdentifyingSets, Share};
use serde::Serialize;

/// Groups to be used, and what they cannot keep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Planned {
    /// The groups.
    pub groups: Vec<Vec<String>>,
    /// Rows that are alone inside each.
    pub unique: Vec<usize>,
    /// All rows.
    pub rows: usize,
    /// Pairs that cannot be kept, with the reason.
    pub lost: Vec<(String, String, String)>,
    /// Columns that are left out because the job calls them identifying.
    pub dropped: Vec<String>,
}

/// The largest groups that keep every pair that can be kept. The quasi-identifiers of the job are an identifying set; its identifying columns are left out.
pub fn plan(
    table: &CodedTable,
    job: Option<&Job>,
    pairs: &[(String, String)],
    identifying: &[Vec<String>],
    unique: Share,
) -> Result<Planned, SliceError> {
    let with_role = |role: Role| -> Vec<String> {
        job.iter().flat_map(|job| job.with_role(role)).map(|attribute| attribute.name.clone()).collect()
    };
    let dropped = with_role(Role::Identifying);
    let columns: Vec<_> = table.columns.iter().filter(|column| !dropped.contains(&column.name)).collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let place = |name: &String| {
        table.place(name)?;
        names.iter().position(|known| known == name).ok_or_else(|| {
            SliceError::Request(format!("column {name:?} is identifying by the job, which never leaves"))
        })
    };
    let wanted = pairs
        .iter()
        .map(|(first, second)| Ok((place(first)?, place(second)?)))
        .collect::<Result<Vec<_>, SliceError>>()?;
    identifying.iter().flatten().try_for_each(|name| table.place(name).map(drop))?;
    let sets = IdentifyingSets::declared(identifying).with(&[with_role(Role::QuasiIdentifier)]);
    let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes.as_slice()).collect();
    let what = Planning { names: &names, columns: &codes, pairs: &wanted, identifying: &sets, unique };
    let plan = planner::plan(&what);
    let named = |columns: &[usize]| -> Vec<String> {
        columns.iter().map(|&column| names[column].to_owned()).collect()
    };
    let lost = plan.lost.iter().map(|lost| {
        let together = named(&lost.columns).join(", ");
        let why = match &lost.obstacle {
            Obstacle::Identifying(set) => {
                format!("{together} would hold the identifying set {}", set.join(", "))
            }
            Obstacle::Unique { rows } => format!(
                "{rows} of {} rows are alone with their values of {together}, more than {unique}",
                table.rows
            ),
        };
        (names[lost.pair.0].to_owned(), names[lost.pair.1].to_owned(), why)
    });
    Ok(Planned {
        lost: lost.collect(),
        groups: plan.groups.iter().map(|group| named(group)).collect(),
        unique: plan.unique,
        rows: table.rows,
        dropped: dropped.into_iter().filter(|name| table.place(name).is_ok()).collect(),
    })
}
