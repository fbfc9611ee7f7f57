//! Rows in mixed column groups: what a declared analysis needs stays together exactly.
//!
//! Nothing is generalized. Columns are split into groups and rows into buckets; inside a bucket the cells of every group are put into a random order
//! of their own. A regression over columns of one group is that of the original rows, to the last digit.
//!
//! What is kept: the quasi-identifiers inside a group are shared by k people, with l different values of a column that asks for them, and every
//! bucket has as many. A column that stands alone shows nothing beside itself. The groups are planned around the analysis: as large as that allows.

use super::Cells;
use crate::adapt::RowDemand;
use crate::refusal::AskError;
use paravent_algebra::error::AlgebraError;
use paravent_job::Model;
use paravent_slicing::checks::Sliced;
use paravent_slicing::planner::{Planning, plan};
use paravent_slicing::{
    ColumnGroups, Draw, Examined, IdentifyingSets, Layout, Limits, MinimumSize, Operator, Overlap, RowOrder,
    Secret, Share, Shown, Windows, examine, permute,
};
use std::collections::{BTreeMap, BTreeSet};

/// More quasi-identifiers than this have too many combinations to be looked at.
const MOST_QUASI: usize = 12;

/// Rows whose column groups were mixed.
pub(super) struct Found {
    /// The rows, in random order.
    pub(super) rows: Vec<Cells>,
    /// The groups, by name.
    pub(super) groups: Vec<Vec<String>>,
    /// Analyses whose columns stayed together.
    pub(super) kept: Vec<Vec<String>>,
    /// Analyses whose columns cannot.
    pub(super) lost: Vec<Vec<String>>,
}

/// A table as codes, and what is demanded of it.
struct Coded<'a> {
    names: Vec<&'a str>,
    is_quasi: &'a [bool],
    columns: Vec<Vec<u32>>,
    /// By column: the code of a missing cell.
    missing: Vec<Option<u32>>,
    k: u32,
    /// Places of columns, and how many different values of them are demanded.
    diverse: Vec<(usize, u32)>,
}

/// Mixed column groups for the analyses; none where none of them can be kept.
///
/// # Errors
/// If the system gives no random numbers, or the finished rows do not keep the demand: a bug, and nothing leaves.
pub(super) fn sliced(
    names: &[String],
    is_quasi: &[bool],
    demand: &RowDemand,
    rows: &[Cells],
) -> Result<Option<Found>, AskError> {
    let table = Coded::of(names, is_quasi, demand, rows);
    if table.quasi().len() > MOST_QUASI || rows.len() < demand.k as usize {
        return Ok(None);
    }
    let place = |column: &String| names.iter().position(|name| name == column);
    let together: Vec<Vec<usize>> =
        demand.together.iter().map(|columns| columns.iter().filter_map(place).collect()).collect();
    let pairs: Vec<(usize, usize)> = together
        .iter()
        .flat_map(|columns| columns.iter().skip(1).map(|column| (columns[0], *column)))
        .collect();
    let codes: Vec<&[u32]> = table.columns.iter().map(Vec::as_slice).collect();
    let planned = plan(&Planning {
        names: &table.names,
        columns: &codes,
        pairs: &pairs,
        identifying: &table.identifying(),
        // Whoever is alone with numbers that are no quasi-identifier is not found by them.
        unique: Share::ALL,
    });
    let is_kept = |columns: &Vec<usize>| {
        planned.groups.iter().any(|group| columns.iter().all(|one| group.contains(one)))
    };
    let (kept, lost): (Vec<_>, Vec<_>) =
        demand.together.iter().zip(&together).partition(|(_, places)| is_kept(places));
    if kept.is_empty() {
        return Ok(None);
    }
    let groups: Vec<Vec<&str>> =
        planned.groups.iter().map(|group| group.iter().map(|one| table.names[*one]).collect()).collect();
    let groups =
        ColumnGroups::new(&table.names, &groups, Overlap::Forbidden).map_err(|_| AlgebraError::Internal)?;
    let secret = Secret::from_os().map_err(|_| AlgebraError::Internal)?;
    let Some(layout) = table.buckets(&groups, &secret) else { return Ok(None) };
    let draw = Draw { secret: &secret, operator: Operator(1), order: RowOrder::Random };
    let gathers = permute(&layout, groups.len(), &draw);
    let released = groups.released();
    let cell = |row: usize, column: usize| {
        rows[gathers.group(released[column].group)[row] as usize][released[column].source].clone()
    };
    let mixed: Vec<Cells> =
        (0..rows.len()).map(|row| (0..released.len()).map(|column| cell(row, column)).collect()).collect();
    recount(rows, &mixed, &planned.groups, is_quasi, demand.k)?;
    let named =
        |of: Vec<(&Vec<String>, &Vec<usize>)>| of.into_iter().map(|(names, _)| names.clone()).collect();
    Ok(Some(Found {
        rows: mixed,
        groups: groups
            .names()
            .iter()
            .map(|group| group.iter().map(|&name| name.to_owned()).collect())
            .collect(),
        kept: named(kept),
        lost: named(lost),
    }))
}

impl<'a> Coded<'a> {
    fn of(names: &'a [String], is_quasi: &'a [bool], demand: &RowDemand, rows: &[Cells]) -> Coded<'a> {
        let mut columns = Vec::new();
        let mut missing = Vec::new();
        for place in 0..names.len() {
            let values: BTreeSet<&Option<String>> = rows.iter().map(|row| &row[place]).collect();
            let codes: BTreeMap<&Option<String>, u32> = values.into_iter().zip(0..).collect();
            columns.push(rows.iter().map(|row| codes[&row[place]]).collect());
            missing.push(codes.get(&None).copied());
        }
        let diverse = demand.models.iter().filter_map(|model| match model {
            Model::DistinctLDiversity(asked) => {
                let place = names.iter().position(|name| *name == asked.attribute)?;
                Some((place, asked.l))
            }
            _ => None,
        });
        Coded {
            names: names.iter().map(String::as_str).collect(),
            is_quasi,
            columns,
            missing,
            k: demand.k,
            diverse: diverse.collect(),
        }
    }

    fn quasi(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|place| self.is_quasi[*place]).collect()
    }

    /// The smallest sets of columns that no group may hold: quasi-identifiers that fewer than k people share, and quasi-identifiers with a
    /// column of which those people have too few different values.
    fn identifying(&self) -> IdentifyingSets {
        let quasi = self.quasi();
        let mut found: Vec<BTreeSet<usize>> = Vec::new();
        let mut choices: Vec<u32> = (1..1_u32 << quasi.len()).collect();
        choices.sort_by_key(|choice| choice.count_ones());
        for choice in choices {
            let set: BTreeSet<usize> =
                (0..quasi.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| quasi[bit]).collect();
            if found.iter().any(|known| known.is_subset(&set)) {
                continue;
            }
            let classes = self.classes(&set);
            if classes.values().any(|rows| rows.len() < self.k as usize) {
                found.push(set);
                continue;
            }
            for (column, least) in &self.diverse {
                let with: BTreeSet<usize> = set.iter().copied().chain([*column]).collect();
                let is_new = !found.iter().any(|known| known.is_subset(&with));
                if is_new && classes.values().any(|rows| self.different(*column, rows) < *least as usize) {
                    found.push(with);
                }
            }
        }
        let named = |set: &BTreeSet<usize>| set.iter().map(|place| self.names[*place]).collect::<Vec<&str>>();
        IdentifyingSets::declared(&found.iter().map(named).collect::<Vec<_>>())
    }

    fn classes(&self, set: &BTreeSet<usize>) -> BTreeMap<Vec<u32>, Vec<u32>> {
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in 0..self.columns.first().map_or(0, Vec::len) {
            let key = set.iter().map(|place| self.columns[*place][row]).collect();
            classes.entry(key).or_default().push(row as u32);
        }
        classes
    }

    /// Different values of a column; a missing cell is none.
    fn different(&self, column: usize, rows: &[u32]) -> usize {
        let values: BTreeSet<u32> = rows.iter().map(|row| self.columns[column][*row as usize]).collect();
        values.iter().filter(|value| Some(**value) != self.missing[column]).count()
    }

    /// Buckets of rows in random order: k people each, and different values as demanded. None where they cannot be, or where groups would tell each
    /// other.
    fn buckets(&self, groups: &ColumnGroups, secret: &Secret) -> Option<Layout> {
        let rows = self.columns.first().map_or(0, Vec::len);
        let minimum = MinimumSize::new(self.k.max(2)).ok()?;
        let draw = Draw { secret, operator: Operator(0), order: RowOrder::Carried };
        let order = permute(&Layout::undivided(rows).ok()?, 1, &draw).into_groups().pop()?;
        let layout = Layout::by_order(order, Windows::Size(minimum.get()), minimum).ok()?;
        let shown: Vec<Shown<'_>> = self
            .diverse
            .iter()
            .map(|(column, least)| Shown {
                codes: &self.columns[*column],
                missing: self.missing[*column],
                least: *least,
            })
            .collect();
        let layout = layout.merged(minimum, &shown);
        let codes: Vec<&[u32]> = self.columns.iter().map(Vec::as_slice).collect();
        let sensitive: Vec<usize> = self.diverse.iter().map(|(column, _)| *column).collect();
        let what = Examined {
            groups,
            table: Sliced { columns: &codes, layout: &layout },
            known: &[],
            labelled: &[],
            sensitive: &sensitive,
            missing: &self.missing,
            person: None,
        };
        let findings = examine(&what, 1);
        let limits = Limits { unique: Share::ALL, ..Limits::STANDARD };
        let is_diverse = findings.diversity.iter().all(|found| {
            let own = self.diverse.iter().filter(|(column, _)| *column == found.column);
            own.map(|(_, least)| *least as usize).all(|least| found.least >= least)
        });
        (is_diverse && findings.refusals(groups, &limits).is_empty()).then_some(layout)
    }
}

/// Holds the finished rows against the original ones, with nothing of the slicing: every group has the cells that it had, as often, and k people
/// share its quasi-identifiers.
fn recount(
    before: &[Cells],
    after: &[Cells],
    groups: &[Vec<usize>],
    is_quasi: &[bool],
    k: u32,
) -> Result<(), AskError> {
    fn counts<'r>(rows: &'r [Cells], columns: &[usize]) -> BTreeMap<Vec<&'r Option<String>>, u32> {
        let mut counts = BTreeMap::new();
        for row in rows {
            *counts.entry(columns.iter().map(|column| &row[*column]).collect()).or_insert(0) += 1;
        }
        counts
    }
    for group in groups {
        if counts(before, group) != counts(after, group) {
            return Err(AskError::Audit("other cells in a column group than before"));
        }
        let quasi: Vec<usize> = group.iter().copied().filter(|column| is_quasi[*column]).collect();
        let is_shared =
            group.len() == 1 || quasi.is_empty() || counts(after, &quasi).values().all(|n| *n >= k);
        if !is_shared {
            return Err(AskError::Audit("a column group with fewer people than demanded"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(cells: &[[&str; 3]]) -> Vec<Cells> {
        cells.iter().map(|row| row.iter().map(|cell| Some((*cell).to_owned())).collect()).collect()
    }

    /// Wrong slicers: one that breaks a pair, one that loses a row, one that leaves a rare quasi-identifier beside other cells.
    #[test]
    fn wrong_slices_are_found_by_counting() {
        let before = rows(&[["30", "1", "a"], ["30", "2", "b"], ["40", "3", "a"], ["40", "4", "b"]]);
        let groups = [vec![0, 1], vec![2]];
        let is_quasi = [true, false, true];
        let verdict = |after: &[Cells], groups: &[Vec<usize>]| recount(&before, after, groups, &is_quasi, 2);
        let right = rows(&[["30", "1", "b"], ["30", "2", "a"], ["40", "3", "a"], ["40", "4", "b"]]);
        assert!(verdict(&right, &groups).is_ok());
        let broken = rows(&[["40", "1", "b"], ["30", "2", "a"], ["30", "3", "a"], ["40", "4", "b"]]);
        assert!(verdict(&broken, &groups).is_err());
        assert!(verdict(&right[1..], &groups).is_err());
        assert!(recount(&before, &right, &groups, &is_quasi, 3).is_err());
        assert!(verdict(&before, &[vec![0, 1, 2]]).is_err());
    }
}
