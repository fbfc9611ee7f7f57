//! What would leave as it is must not single people out: it is made coarser, or left out.
//!
//! The same detectors judge a release later. The word that lets a column pass all the same (`release = "as it is"`) is the owner's: no
//! proposal contains it.

use super::Preset;
use super::combinations::{DenseColumn, unique_rows};
use super::meaning::codes_of;
use super::profile::{Column, Profile};
use super::roles::{Assigned, ENOUGH_ROWS, is_measured};
use super::words::percent;
use paravent_evidence::columns::{ColumnCells, identifying};
use paravent_evidence::risk::unchanged::TOLERATED_ONE_IN;
use paravent_job::{DataType, Role};

/// The roles with columns that would single people out made quasi-identifiers, or left out where they name people or have too many values.
pub(super) fn coarsened(profile: &Profile, mut assigned: Vec<Assigned>, preset: Preset) -> Vec<Assigned> {
    for (assigned, column) in assigned.iter_mut().zip(&profile.columns) {
        if is_unchanged(assigned)
            && let Some(looks) = looks(column, profile.rows)
        {
            assigned.role = Role::Identifying;
            assigned.reason = format!("{}; it looks like {looks}, so it is left out", assigned.reason);
        }
    }
    if profile.rows < ENOUGH_ROWS {
        return assigned;
    }
    loop {
        let unchanged: Vec<usize> = (0..assigned.len()).filter(|&i| is_unchanged(&assigned[i])).collect();
        let Some(share) = too_many(profile, &unchanged) else { return assigned };
        let most_values = |&i: &usize| (profile.columns[i].distinct.at_least(), i);
        let Some(telling) = unchanged.iter().copied().max_by_key(most_values) else { return assigned };
        let telling = last_alike(profile, &unchanged, telling);
        let is_decimal = profile.columns[telling].data_type == DataType::Decimal;
        let measured = is_decimal && is_measured(&profile.columns[telling]) && preset != Preset::Research;
        let others = assigned.iter().any(|column| column.role == Role::QuasiIdentifier);
        let (role, what) = match profile.columns[telling].values() {
            Some(_) if measured && others => (Role::Identifying, "left out"),
            Some(_) => (Role::QuasiIdentifier, "made coarser"),
            None => (Role::Identifying, "left out"),
        };
        let told = format!(
            "; as it is, it would help to single out {} of the rows, so it is {what}",
            percent(share)
        );
        assigned[telling].role = role;
        assigned[telling].reason.push_str(&told);
    }
}

/// Of several columns with codes of one kind the last: the main diagnosis stands before the others and is asked for first.
fn last_alike(profile: &Profile, unchanged: &[usize], telling: usize) -> usize {
    let Some(codes) = codes_of(&profile.columns[telling]) else { return telling };
    let is_alike = |&&i: &&usize| codes_of(&profile.columns[i]) == Some(codes);
    unchanged.iter().filter(is_alike).max().copied().unwrap_or(telling)
}

/// Whether the cells of a column are names of people, whatever it is called.
pub(super) fn names_people(column: &Column, rows: u64) -> bool {
    column.data_type == DataType::String && looks(column, rows) == Some("names of people")
}

fn is_unchanged(assigned: &Assigned) -> bool {
    matches!(assigned.role, Role::Sensitive | Role::Insensitive)
}

/// What a column seems to identify people by.
fn looks(column: &Column, rows: u64) -> Option<&'static str> {
    let mut cells: Vec<&str> = column.values()?.map(|(value, _)| value).collect();
    cells.sort_unstable();
    let people = rows - column.missing;
    identifying(&ColumnCells { name: &column.name, cells: &cells, people }).map(|telling| telling.looks)
}

/// The share of the sampled rows that these columns single out together, where it is more than is tolerated.
fn too_many(profile: &Profile, unchanged: &[usize]) -> Option<f64> {
    if unchanged.iter().any(|&i| profile.columns[i].values().is_none()) {
        return Some(1.0);
    }
    let columns: Vec<DenseColumn> = unchanged
        .iter()
        .map(|&i| DenseColumn::of(&profile.sample, i, &profile.columns[i].missing_codes()))
        .collect();
    let unique = unique_rows(&columns.iter().collect::<Vec<_>>());
    let rows = profile.sample.len() as u64;
    (unique * TOLERATED_ONE_IN > rows).then(|| unique as f64 / rows as f64)
}
