//! How long the phases of slicing take, for several numbers of buckets.

use super::{CodedTable, SliceError};
use paravent_slicing::{
    ColumnGroups, Draw, Layout, MinimumSize, Operator, Overlap, RowOrder, Secret, Windows, permute,
};
use serde::Serialize;
use std::time::Instant;

/// Milliseconds of each phase, the median of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Phases {
    /// Buckets.
    pub buckets: u32,
    /// Rows into buckets (hSplit).
    pub horizontal: f64,
    /// Columns into groups (vSplit).
    pub vertical: f64,
    /// Permutations and gathering by position (permute/join).
    pub permute: f64,
    /// Rows of all buckets into one table in their final order (union).
    pub union: f64,
}

impl Phases {
    /// All phases.
    pub fn sum(&self) -> f64 {
        self.horizontal + self.vertical + self.permute + self.union
    }
}

/// Measures every number of buckets so often; those that the table is too small for are left out. Reading and writing are not part of it.
pub fn timed(
    table: &CodedTable,
    groups: &[Vec<String>],
    buckets: &[u32],
    runs: u32,
) -> Result<Vec<Phases>, SliceError> {
    let mut places = Vec::new();
    for name in groups.iter().flatten() {
        let place = table.place(name)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    let names: Vec<&str> = places.iter().map(|&place| table.columns[place].name.as_str()).collect();
    let groups = ColumnGroups::new(&names, groups, Overlap::Forbidden)?;
    let secret = Secret::from_os()?;
    let mut measured = Vec::new();
    for &count in buckets.iter().filter(|&&count| count > 0 && table.rows / count as usize >= 2) {
        let mut runs = (0..runs.max(1))
            .map(|run| once(table, &places, &groups, count, &secret, u64::from(run)))
            .collect::<Result<Vec<Phases>, SliceError>>()?;
        runs.sort_by(|a, b| a.sum().total_cmp(&b.sum()));
        measured.push(runs[runs.len() / 2]);
    }
    Ok(measured)
}

fn once(
    table: &CodedTable,
    places: &[usize],
    groups: &ColumnGroups,
    buckets: u32,
    secret: &Secret,
    run: u64,
) -> Result<Phases, SliceError> {
    let mut started = Instant::now();
    let mut lap = || {
        let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
        started = Instant::now();
        milliseconds
    };
    let layout = Layout::by_rank(table.rows, Windows::Count(buckets), MinimumSize::TWO)?;
    let horizontal = lap();
    let columns: Vec<&[u32]> = places.iter().map(|&place| table.columns[place].codes.as_slice()).collect();
    let vertical = lap();
    let draw = Draw { secret, operator: Operator(run), order: RowOrder::Random };
    let gathers = permute(&layout, groups.len(), &draw);
    let after = gathers.gather(groups, &columns);
    let permute = lap();
    let released = groups.released();
    let mut cells: Vec<super::CodedCells> = released
        .iter()
        .zip(after)
        .map(|(column, codes)| super::CodedCells {
            name: column.name.clone(),
            codes,
            cells: table.columns[places[column.source]].cells.clone(),
        })
        .collect();
    super::sliced::sort(&mut cells);
    let union = lap();
    std::hint::black_box(&cells);
    Ok(Phases { buckets, horizontal, vertical, permute, union })
}
