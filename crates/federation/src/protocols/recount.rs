//! Who takes off a layer, or has the keys, first counts the classes on tokens: a release that does not keep the promise is not decrypted.
//!
//! Result  nothing is decrypted for a master or helper that did not search, or did not tell the truth about what it found.
//! Trust   none in who searched, as far as classes, levels and numbers of rows go. Labels of other levels than the release says are safe by
//!         their keys: every level has its own.

use super::Context;
use crate::engine::{Whole, class_criteria, ladder_of, views};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::plan::{Participants, Plan};
use crate::wire::{SealedColumn, SealedRelease};
use paravent_core::criteria::{Criteria, Suppression};
use paravent_core::grouping::{Class, Distribution};
use paravent_core::hierarchy::Ladder;
use paravent_core::task::SuppressionLimit;
use std::collections::BTreeMap;

/// What a party knows of the number of rows that all brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brought {
    /// All of it.
    Known(u64),
    /// Its own rows are among them.
    AtLeast(u64),
}

/// Counts a release on its tokens; `by` is who made it.
pub(super) fn on_tokens(
    context: &Context<'_>,
    by: PartyId,
    release: &SealedRelease,
    brought: Brought,
) -> Result<(), ProtocolError> {
    if !context.conduct.recounts() {
        return Ok(());
    }
    let untrue = |why: String| ProtocolError::Untrue { by, why };
    numbers_of_rows(context.plan, release, brought).map_err(untrue)?;
    let plan = Plan { participants: Participants::Trusted, ..context.plan.clone() };
    let least = plan.promised_class();
    let classes = classes(&plan, release);
    let smallest = classes.values().map(|rows| rows.len() as u64).min().unwrap_or(0);
    if smallest < least {
        return Err(untrue(format!(
            "it has a class of {smallest} rows where at least {least} were promised"
        )));
    }
    criteria_hold(&plan, release, &classes, by)
}

fn numbers_of_rows(plan: &Plan, release: &SealedRelease, brought: Brought) -> Result<(), String> {
    let (released, suppressed) = (u64::from(release.rows), release.facts.suppressed_rows);
    let all = released.saturating_add(suppressed);
    let limit = SuppressionLimit::Share(plan.suppression_limit).of(all);
    if suppressed > limit {
        return Err(format!("it leaves out {suppressed} rows where at most {limit} may be"));
    }
    let population = release.population.as_ref().map(|population| u64::from(population.rows));
    let counted = population.unwrap_or(all);
    match brought {
        Brought::Known(rows) if counted != rows || all > rows => {
            Err(format!("it is about {counted} rows where the parties brought {rows}"))
        }
        Brought::AtLeast(rows) if counted < rows => {
            Err(format!("it is about {counted} rows where this party alone brought {rows}"))
        }
        _ => Ok(()),
    }
}

/// The rows of each class, by tokens of the quasi-identifiers.
fn classes(plan: &Plan, release: &SealedRelease) -> BTreeMap<Vec<u32>, Vec<usize>> {
    let quasi = plan.quasi_identifiers();
    let columns: Vec<&SealedColumn> =
        release.columns.iter().filter(|column| quasi.contains(&column.column)).collect();
    let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for row in 0..release.rows as usize {
        classes.entry(columns.iter().map(|column| column.cells[row]).collect()).or_default().push(row);
    }
    classes
}

fn criteria_hold(
    plan: &Plan,
    release: &SealedRelease,
    classes: &BTreeMap<Vec<u32>, Vec<usize>>,
    by: PartyId,
) -> Result<(), ProtocolError> {
    let views = views(plan);
    let coded = coded(plan, release)?;
    let mut codes = Vec::new();
    let mut combinations = Vec::new();
    let mut totals = Vec::new();
    for view in &views {
        let (of_row, distinct, combined) = coded.codes_of(view);
        totals.push(totals_of(release, view.column(), distinct));
        codes.push((of_row, distinct));
        combinations.push(combined);
    }
    let ladders = coded.columns.iter().map(|column| column.ladder.as_ref()).collect();
    let whole = Whole { totals, ladders, combinations: &combinations };
    let criteria = Criteria::new(
        class_criteria(plan, &views, Some(&whole))?,
        Suppression::up_to(release.facts.suppressed_rows),
    );
    for rows in classes.values() {
        let mut counts: Vec<Vec<u32>> = totals_widths(&whole);
        for (dense, (of_row, distinct)) in counts.iter_mut().zip(&codes) {
            dense.resize((*distinct).max(dense.len()), 0);
            rows.iter().for_each(|&row| dense[of_row[row] as usize] += 1);
        }
        let present: Vec<Vec<u32>> = counts
            .iter()
            .map(|dense| (0u32..).zip(dense).filter(|(_, count)| **count > 0).map(|(code, _)| code).collect())
            .collect();
        let distributions: Vec<Distribution<'_>> = counts
            .iter()
            .zip(&present)
            .map(|(dense, present)| Distribution::of_rows(dense, present, rows.len() as u64))
            .collect();
        let population = release.population.as_ref().map_or(rows.len() as u64, |known| {
            rows.iter().map(|&row| u64::from(known.of_row[row])).min().unwrap_or(0)
        });
        let class = Class { rows: rows.len() as u64, population, distributions: &distributions };
        if !criteria.hold(&class) {
            let promised: Vec<&str> = plan.criteria.iter().map(|criterion| criterion.name()).collect();
            let why = format!("in a class of {} rows {} does not hold", rows.len(), promised.join(" and "));
            return Err(ProtocolError::Untrue { by, why });
        }
    }
    Ok(())
}

fn totals_widths(whole: &Whole<'_>) -> Vec<Vec<u32>> {
    whole.totals.iter().map(|totals| vec![0; totals.len()]).collect()
}

/// The release as a table of codes, by column of the plan. Sensitive columns have the hierarchy that their reference tells of.
fn coded(plan: &Plan, release: &SealedRelease) -> Result<crate::engine::CodedTable, ProtocolError> {
    let rows = release.rows as usize;
    let mut columns = Vec::new();
    for position in 0..plan.columns.len() as u16 {
        let found = release.columns.iter().find(|column| column.column == position);
        columns.push(match found {
            Some(column) => crate::engine::CodedColumn {
                cells: column.cells.clone(),
                distinct: column.opened.len() + column.sealed.len(),
                ladder: tree(column)?,
            },
            None => crate::engine::CodedColumn { cells: vec![0; rows], distinct: 2, ladder: None },
        });
    }
    Ok(crate::engine::CodedTable { rows, columns, origins: None, marks: None })
}

fn tree(column: &SealedColumn) -> Result<Option<Ladder>, ProtocolError> {
    let Some(reference) = &column.reference else { return Ok(None) };
    let height = reference.all().next().map_or(0, |value| value.branches.len());
    if height == 0 {
        return Ok(None);
    }
    let level = |level: usize| reference.all().map(|value| value.branches[level]).collect::<Vec<u32>>();
    let levels: Vec<Vec<u32>> = (0..height).map(level).collect();
    Ok(Some(ladder_of(reference.all().count(), &levels, &[])?))
}

/// How often each value of a column occurs in all rows: as told where closeness is promised, and not needed elsewhere.
fn totals_of(release: &SealedRelease, column: Option<u16>, distinct: usize) -> Vec<u64> {
    let reference = release.columns.iter().find(|known| Some(known.column) == column);
    match reference.and_then(|column| column.reference.as_ref()) {
        Some(reference) => reference.all().map(|value| u64::from(value.rows)).collect(),
        None => vec![0; distinct],
    }
}
