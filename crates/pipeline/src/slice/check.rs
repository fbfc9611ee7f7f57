//! Judges a slicing made elsewhere, from the two tables alone.

use super::release::attacks;
use super::{CodedTable, SliceError};
use paravent_slicing::checks::{Fault, ReadOff, Sliced, suspicions};
use paravent_slicing::guard::unique_rows;
use paravent_slicing::{ColumnGroups, Layout, Overlap, Share};
use serde::Serialize;
use std::collections::HashMap;

/// Two columns of different groups, or of the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairJudgement {
    /// The columns.
    pub columns: (String, String),
    /// Whether they share a group.
    pub together: bool,
    /// Whether every pair of values occurs as often as before.
    pub unchanged: bool,
}

/// What is to be said of a slicing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Rows before and after.
    pub rows: (usize, usize),
    /// By group: whether its rows are the same ones as before.
    pub marginals: Vec<bool>,
    /// By group: rows that are alone with their values inside it; `None` for one column.
    pub unique: Vec<Option<usize>>,
    /// Every two columns.
    pub pairs: Vec<PairJudgement>,
    /// Whole rows that stand as they did before, as a share of all.
    pub rows_as_before: f64,
    /// Two groups (from 1) that came out unchanged or sorted, which chance does not do.
    pub not_permuted: Vec<(usize, usize, &'static str)>,
    /// What somebody who knows a group reads off for a column of another: group, column, people tried, right, right by chance.
    pub read_off: Vec<(usize, String, usize, usize, usize)>,
    /// Different values of the sensitive columns in the whole table: no bucket can have more.
    pub diversity: Vec<(String, usize)>,
    /// What is wrong, in words; empty for a slicing as it should be.
    pub problems: Vec<String>,
}

impl Judgement {
    /// Whether nothing is wrong.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Judges `after` as a slicing of `before` by these groups. `unique` limits rows alone inside a group, `linked` what is read off beyond chance.
pub fn check(
    before: &CodedTable,
    after: &CodedTable,
    groups: &[Vec<String>],
    sensitive: &[String],
    (unique, linked): (Share, Share),
) -> Result<Judgement, SliceError> {
    let mut places = Vec::new();
    for name in groups.iter().flatten() {
        let place = before.place(name)?;
        after.place(name)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    let names: Vec<String> = places.iter().map(|&place| before.columns[place].name.clone()).collect();
    let columns = ColumnGroups::new(&names, groups, Overlap::Forbidden)?;
    let coded = names.iter().map(|name| shared_codes(before, after, name)).collect::<Result<Vec<_>, _>>()?;
    let old: Vec<&[u32]> = coded.iter().map(|(old, _)| old.as_slice()).collect();
    let new: Vec<&[u32]> = coded.iter().map(|(_, new)| new.as_slice()).collect();
    let pick = |all: &[&[u32]], group: &[usize]| {
        bag(&group.iter().map(|&column| all[column].to_vec()).collect::<Vec<_>>())
    };
    let rows = (before.rows, after.rows);
    let marginals: Vec<bool> = columns
        .groups()
        .iter()
        .map(|group| rows.0 == rows.1 && pick(&old, group) == pick(&new, group))
        .collect();
    let alone = |group: &Vec<usize>| {
        (group.len() > 1)
            .then(|| unique_rows(&group.iter().map(|&column| new[column]).collect::<Vec<_>>(), None))
    };
    let unique_in: Vec<Option<usize>> = columns.groups().iter().map(alone).collect();
    let mut pairs = Vec::new();
    for first in 0..names.len() {
        for second in first + 1..names.len() {
            let unchanged = rows.0 == rows.1 && pick(&old, &[first, second]) == pick(&new, &[first, second]);
            let together = columns.together(first, second).is_some();
            pairs.push(PairJudgement {
                columns: (names[first].clone(), names[second].clone()),
                together,
                unchanged,
            });
        }
    }
    let all: Vec<usize> = (0..names.len()).collect();
    let rows_as_before = common(&pick(&old, &all), &pick(&new, &all)) as f64 / rows.1.max(1) as f64;
    let sound = marginals.iter().all(|same| *same);
    let not_permuted = if sound { faults(&columns, &old, &new)? } else { Vec::new() };
    let read_off: Vec<(usize, String, ReadOff)> =
        if sound { attacks(&columns, &old, &new) } else { Vec::new() };
    let diversity = sensitive
        .iter()
        .map(|name| {
            let column = &after.columns[after.place(name)?];
            let used: std::collections::BTreeSet<u32> = column.codes.iter().copied().collect();
            Ok((name.clone(), used.iter().filter(|&&code| Some(code) != column.missing()).count()))
        })
        .collect::<Result<Vec<_>, SliceError>>()?;
    let mut judgement = Judgement {
        rows,
        marginals,
        unique: unique_in,
        pairs,
        rows_as_before,
        not_permuted,
        read_off: Vec::new(),
        diversity,
        problems: Vec::new(),
    };
    judgement.problems = problems(&judgement, &read_off, unique, linked);
    judgement.read_off = read_off
        .into_iter()
        .map(|(group, column, figures)| (group, column, figures.people, figures.most(), figures.chance))
        .collect();
    Ok(judgement)
}

fn problems(
    found: &Judgement,
    read_off: &[(usize, String, ReadOff)],
    unique: Share,
    linked: Share,
) -> Vec<String> {
    let mut problems = Vec::new();
    if found.rows.0 != found.rows.1 {
        problems.push(format!("the table has {} rows, the sliced one {}", found.rows.0, found.rows.1));
    }
    for (number, _) in found.marginals.iter().enumerate().filter(|(_, same)| !**same) {
        problems.push(format!("group {} has other rows than before", number + 1));
    }
    for (number, rows) in found.unique.iter().enumerate() {
        if let Some(rows) = rows.filter(|&rows| unique.is_exceeded_by(rows, found.rows.1)) {
            problems.push(format!(
                "group {} singles people out: {rows} of {} rows are alone with their values, more than {unique}",
                number + 1,
                found.rows.1
            ));
        }
    }
    for (first, second, what) in &found.not_permuted {
        problems.push(format!(
            "groups {first} and {second} came out {what}: they were not permuted independently"
        ));
    }
    for (group, column, figures) in read_off {
        if figures.exceeds(linked) {
            let percent = |people: usize| 100.0 * people as f64 / figures.people as f64;
            problems.push(format!(
                "{column} is read off by whoever knows group {group}: right for {:.1} % of {} people who are alone there, by chance {:.1} %; use larger buckets",
                percent(figures.most()),
                figures.people,
                percent(figures.chance)
            ));
        }
    }
    problems
}

/// Pairs of groups that chance does not leave like this.
fn faults(
    groups: &ColumnGroups,
    before: &[&[u32]],
    after: &[&[u32]],
) -> Result<Vec<(usize, usize, &'static str)>, SliceError> {
    let rows = before.first().map_or(0, |column| column.len());
    let layout = Layout::undivided(rows)?;
    let (old, new) =
        (Sliced { columns: before, layout: &layout }, Sliced { columns: after, layout: &layout });
    let told = suspicions(groups, old, new).into_iter().map(|found| {
        let what = match found.fault {
            Fault::Unchanged => "unchanged",
            Fault::Sorted => "sorted",
        };
        (found.groups.0, found.groups.1, what)
    });
    Ok(told.collect())
}

/// The column of both tables with equal codes for equal cells, in the order of the first table's values; cells that only the second has come last.
fn shared_codes(
    before: &CodedTable,
    after: &CodedTable,
    name: &str,
) -> Result<(Vec<u32>, Vec<u32>), SliceError> {
    let (old, new) = (&before.columns[before.place(name)?], &after.columns[after.place(name)?]);
    let known: HashMap<&Option<String>, u32> = old.cells.iter().zip(0..).collect();
    let mut next = old.cells.len() as u32;
    let translated: Vec<u32> = new
        .cells
        .iter()
        .map(|cell| {
            known.get(cell).copied().unwrap_or_else(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    Ok((old.codes.clone(), new.codes.iter().map(|&code| translated[code as usize]).collect()))
}

/// Rows in order.
fn bag(columns: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut bag: Vec<Vec<u32>> =
        (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    bag.sort_unstable();
    bag
}

/// Rows that two sorted bags have in common.
fn common(first: &[Vec<u32>], second: &[Vec<u32>]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < first.len() && j < second.len() {
        match first[i].cmp(&second[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, common) = (i + 1, j + 1, common + 1);
            }
        }
    }
    common
}
