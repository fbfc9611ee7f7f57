//! What a release is still good for, compared with the table it was made from.

use crate::{ColumnRole, LoadError, ReleaseTable, RoledTable, Roles, TableSource, load_table};
use paravent_evidence::microdata::{Column, Microdata};
use paravent_job::Role;
use paravent_tables::watch::Watch;
pub use paravent_utility::{Kind, Method};
use paravent_utility::{Options, Table, Utility, compare};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Figures of both tables, and who was left out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UtilityFacts {
    /// Statistics and predictions.
    #[serde(flatten)]
    pub utility: Utility,
    /// Where the statistics are of some rows only, at even distances: how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_of: Option<SampleOf>,
    /// By released label of each quasi-identifier: rows of the original and those left out. Empty where every class has labels of its own.
    pub suppressed: Vec<SuppressedGroup>,
}

/// The rows that a sample was taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SampleOf {
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release.
    pub released_rows: u64,
}

/// People who share a released label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuppressedGroup {
    /// The column.
    pub column: String,
    /// The label; absent for a missing value.
    pub label: Option<String>,
    /// Rows of the original under it.
    pub rows: u64,
    /// Those that the release does not have.
    pub suppressed: u64,
}

/// Labels of a column that are told one by one.
const MOST_LABELS: usize = 30;

/// Compares a release with its original. `targets` are predicted from the other columns; where none is named, the first sensitive one.
/// Of tables with more than `most_rows` rows so many are looked at; who was left out is counted in all of them.
pub fn utility(
    release: &ReleaseTable,
    original: &TableSource<'_>,
    targets: Option<&[String]>,
    most_rows: usize,
    watch: &dyn Watch,
) -> Result<UtilityFacts, LoadError> {
    let released = &release.table;
    let raw = load_table(original, &as_they_came(release), watch)?;
    let usual =
        || released.sensitive.iter().take(1).map(|&place| released.data.columns()[place].name().to_owned());
    let options = Options { targets: targets.map_or_else(|| usual().collect(), <[String]>::to_vec) };
    let utility = compare(&text(&raw.data, most_rows), &text(&released.data, most_rows), &options);
    let (rows, released_rows) = (raw.data.rows(), released.data.rows());
    let sample_of = (rows.max(released_rows) > most_rows)
        .then_some(SampleOf { rows: rows as u64, released_rows: released_rows as u64 });
    Ok(UtilityFacts { utility, sample_of, suppressed: suppressed(release, &raw) })
}

/// The columns of the release with the types that they had before.
fn as_they_came(release: &ReleaseTable) -> Roles {
    let table = &release.table;
    let columns = table.data.columns().iter().enumerate().map(|(place, column)| {
        let generalized = table.quasi_identifiers.iter().position(|&known| known == place);
        let value_type = match generalized.and_then(|at| release.generalizations.get(at)) {
            Some(generalization) => generalization.value_type,
            None => table.types[place],
        };
        ColumnRole { value_type: Some(value_type), ..ColumnRole::new(column.name(), Role::Insensitive) }
    });
    Roles { columns: columns.collect(), ..Roles::default() }
}

/// So many rows at even distances, or all.
fn text(table: &Microdata, most_rows: usize) -> Table {
    let (rows, taken) = (table.rows(), table.rows().min(most_rows));
    let cells = |column: &Column| {
        let code = |at: usize| column.codes()[(at as u128 * rows as u128 / taken as u128) as usize];
        (0..taken).map(|at| column.cell(code(at)).map(str::to_owned)).collect()
    };
    Table::new(table.columns().iter().map(|column| (column.name().to_owned(), cells(column))).collect())
}

fn suppressed(release: &ReleaseTable, raw: &RoledTable) -> Vec<SuppressedGroup> {
    let mut groups = Vec::new();
    if release.facts.is_local {
        return groups;
    }
    for (generalization, &place) in release.generalizations.iter().zip(&release.table.quasi_identifiers) {
        let after = &release.table.data.columns()[place];
        let Some(before) = raw.data.place(after.name()).map(|at| &raw.data.columns()[at]) else { continue };
        let mut rows: BTreeMap<Option<String>, (u64, u64)> = BTreeMap::new();
        // A label per different value, not per row.
        let labels: Vec<Option<Option<String>>> = (0..before.labels().len() as u32)
            .map(|code| generalization.label_of(before.cell(code)).ok())
            .collect();
        for &code in before.codes() {
            if let Some(label) = &labels[code as usize] {
                rows.entry(label.clone()).or_default().0 += 1;
            }
        }
        for &code in after.codes() {
            rows.entry(after.cell(code).map(str::to_owned)).or_default().1 += 1;
        }
        if rows.len() > 1 && rows.len() <= MOST_LABELS {
            groups.extend(rows.into_iter().map(|(label, (all, kept))| SuppressedGroup {
                column: after.name().to_owned(),
                label,
                rows: all,
                suppressed: all.saturating_sub(kept),
            }));
        }
    }
    groups
}
