//! The proposal is tried: what the best release would hide anyway is better left out.
//!
//! A column that is hidden in every row tells a reader nothing, but as long as it is a quasi-identifier the search has to carry it.
//! Left out, the others keep the same detail. A table that is too large to be tried in passing, or that is no file, is not tried.

use paravent_job::{InputSource, Role};
use paravent_prepare::study::Study;
use paravent_tables::watch::Unwatched;

use super::Proposal;
use super::words::listed;

/// Tables of more rows are not tried.
const MOST_ROWS: u64 = 500_000;
/// A release needs more than one column that says something.
const FEWEST_COLUMNS: usize = 2;
/// How long a search may take, in seconds.
const SECONDS: f64 = 20.0;

/// Leaves out what the best release hides, and notes what was found. `core`: columns that are to be seen, with the last level on
/// which they still tell something.
pub(super) fn run(proposal: &mut Proposal, rows: u64, mut core: Vec<(String, u8)>) {
    if rows > MOST_ROWS || !matches!(proposal.job.input.source, InputSource::File(_)) {
        return;
    }
    // Fewer and fewer of them must be seen until there is a release.
    let mut first = loop {
        cap(proposal, &core);
        match hidden(proposal) {
            Some(hidden) => break hidden,
            None if core.pop().is_none() => return,
            None => {}
        }
    };
    let mut left_out = Vec::new();
    loop {
        let quasi = proposal.job.with_role(Role::QuasiIdentifier).count();
        let spare = quasi.saturating_sub(FEWEST_COLUMNS);
        let going: Vec<String> = first.into_iter().take(spare).collect();
        if going.is_empty() {
            break;
        }
        for name in going {
            leave_out(proposal, &name);
            left_out.push(name);
        }
        match hidden(proposal) {
            Some(more) => first = more,
            None => break,
        }
    }
    if !core.is_empty() {
        let names = listed(core.iter().map(|(name, _)| name.as_str()));
        proposal
            .notes
            .push(format!("{names} will be seen in the release (max_level), since most analyses need it."));
    }
    if !left_out.is_empty() {
        let names = listed(left_out.iter().map(String::as_str));
        proposal.notes.push(format!(
            "The best release would hide {names} in every row. Columns that are hidden everywhere are left out. To show one of \
             them, give it the role quasi-identifier, and leave out another."
        ));
    }
}

/// Sets the last levels of the columns that are to be seen, and of no others.
fn cap(proposal: &mut Proposal, core: &[(String, u8)]) {
    for attribute in &mut proposal.job.attributes {
        let level = core.iter().find(|(name, _)| *name == attribute.name).map(|(_, level)| *level);
        attribute.max_level = level.filter(|_| attribute.role == Role::QuasiIdentifier);
    }
}

/// Quasi-identifiers that the best release hides; `None` where it cannot be told.
fn hidden(proposal: &Proposal) -> Option<Vec<String>> {
    let mut job = proposal.job.clone();
    job.search.seconds = SECONDS;
    let study = Study::prepare(job, None, false, &Unwatched).ok()?;
    let found = study.search(&Unwatched).ok()?;
    // What a search that was cut short has found depends on the machine.
    let node = found.report.best.as_ref().filter(|_| found.report.optimal)?.node.clone();
    let ladders = study.task.ladders().iter().zip(node.levels());
    let names = study.job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.clone());
    let hidden = names.zip(ladders).filter(|(_, (ladder, level))| **level == ladder.max_level());
    // A column that has one group from the start hides nothing.
    Some(hidden.filter(|(_, (ladder, _))| ladder.cardinality(0) > 1).map(|(name, _)| name).collect())
}

fn leave_out(proposal: &mut Proposal, name: &str) {
    for attribute in proposal.job.attributes.iter_mut().filter(|attribute| attribute.name == name) {
        attribute.role = Role::Identifying;
        (attribute.data_type, attribute.spelling, attribute.hierarchy) = (None, None, None);
        (attribute.min_level, attribute.max_level) = (None, None);
    }
    for column in proposal.columns.iter_mut().filter(|column| column.name == name) {
        column.role = Role::Identifying;
        column.reason.push_str("; the best release would hide it in every row, so it is left out");
        column.hierarchy = None;
    }
}
