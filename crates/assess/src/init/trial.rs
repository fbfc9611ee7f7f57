//! The proposal is tried: what the best release would hide anyway is better left out.
//!
//! A column that is hidden in every row tells a reader nothing, but as long as it is a quasi-identifier the search has to carry it.
//! Left out, the others keep the same detail, and the loss that is told is theirs alone; so the loss of all is told, too. A table that is too large to be tried in passing, or that is no file, is not tried.

use paravent_job::{InputSource, Recoding, Role};
use paravent_prepare::study::Study;
use paravent_tables::watch::Unwatched;

use super::Proposal;
use super::words::listed;

/// Tables of more rows are not tried.
const MOST_ROWS: u64 = 500_000;
/// A release needs more than one column that says something.
const FEWEST_COLUMNS: usize = 2;
/// What is gained by less loss than this is not worth a sentence.
const WORTH_TELLING: f64 = 0.02;
/// How long a search may take, in seconds.
const SECONDS: f64 = 20.0;

/// Leaves out what the best release hides, or gives every class labels of its own, and notes what was found. `core`: columns that are to be
/// seen, with the last level on which they still tell something.
pub(super) fn run(proposal: &mut Proposal, rows: u64, mut core: Vec<(String, u8)>, recoding: Recoding) {
    if rows > MOST_ROWS || !matches!(proposal.job.input.source, InputSource::File(_)) {
        proposal.job.search.recoding = recoding;
        return;
    }
    // Fewer and fewer of them must be seen until there is a release.
    let (mut first, loss) = loop {
        cap(proposal, &core);
        match tried(proposal) {
            Some(tried) => break tried,
            None if core.pop().is_none() => {
                proposal.job.search.recoding = recoding;
                return;
            }
            None => {}
        }
    };
    let price = price_of(proposal, &core, &first, loss);
    if recoding == Recoding::Local {
        note_on_core(proposal, &core, &price);
        return by_class(proposal, &first, loss);
    }
    let (mut left_out, mut loss_without) = (Vec::new(), loss);
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
        match tried(proposal) {
            Some((more, loss)) => (first, loss_without) = (more, loss),
            None => break,
        }
    }
    note_on_core(proposal, &core, &price);
    if !left_out.is_empty() {
        let names = listed(left_out.iter().map(String::as_str));
        proposal.notes.push(format!(
            "The best release would hide {names} in every row. Columns that are hidden everywhere are left out: they are comments \
             in the job. To show one of them, uncomment it, and leave out another. The mean loss of the columns that stay is \
             {loss_without:.3}; with the others, which are lost altogether, it would be {loss:.3}. To keep more of all of them: \
             init --recoding local, which gives every class labels of its own."
        ));
    }
}

/// Every class gets labels of its own, so that no column need be left out. `hidden`: what would be, with one label per column and value;
/// `loss`: what that costs.
fn by_class(proposal: &mut Proposal, hidden: &[String], loss: f64) {
    proposal.job.search.recoding = Recoding::Local;
    let Some(local) = recoded(proposal) else { return };
    let hides = match hidden {
        [] => String::new(),
        hidden => format!(" and hide {} in every row", listed(hidden.iter().map(String::as_str))),
    };
    proposal.notes.push(format!(
        "Every class gets labels of its own (recoding = \"local\" under [search]): labels of a column differ in width and overlap, and the mean loss \
         of all columns is {local:.3}. With the same labels for all rows it would be {loss:.3}{hides}. Run paravent attack on the release: \
         whoever knows how labels were chosen may split classes again (downcoding)."
    ));
}

/// The loss of a local recoding; `None` where there is none.
fn recoded(proposal: &Proposal) -> Option<f64> {
    let study = Study::prepare(proposal.job.clone(), None, false, &Unwatched).ok()?;
    let found = study.recode(&Unwatched).ok()?;
    found.report.best.as_ref().map(|best| best.loss)
}

fn note_on_core(proposal: &mut Proposal, core: &[(String, u8)], price: &str) {
    if !core.is_empty() {
        let names = listed(core.iter().map(|(name, _)| name.as_str()));
        let them = if core.len() == 1 { "it" } else { "them" };
        proposal.notes.push(format!(
            "{names} will be seen in the release (max_level), since most analyses need {them}.{price}"
        ));
    }
}

/// What it costs to see the columns of `core`: those that the best release would show instead, and its loss.
fn price_of(proposal: &Proposal, core: &[(String, u8)], hidden: &[String], loss: f64) -> String {
    if core.is_empty() {
        return String::new();
    }
    let mut free = proposal.clone();
    cap(&mut free, &[]);
    let Some((free, free_loss)) = tried(&free).filter(|(_, free)| free + WORTH_TELLING < loss) else {
        return String::new();
    };
    let is_core = |name: &String| core.iter().any(|(core, _)| core == name);
    let shown = hidden.iter().filter(|name| !free.contains(name)).map(String::as_str);
    let (given_up, shown) = (free.iter().filter(|name| is_core(name)).map(String::as_str), listed(shown));
    let (given_up, instead) = (listed(given_up), if shown.is_empty() { "finer labels" } else { &shown });
    let whose = if given_up.is_empty() { String::new() } else { format!(" and hide {given_up}") };
    format!(
        " Without max_level the best release would show {instead} instead{whose}, and the mean loss of all columns would be \
         {free_loss:.3}, not {loss:.3}."
    )
}

/// Sets the last levels of the columns that are to be seen, and of no others.
fn cap(proposal: &mut Proposal, core: &[(String, u8)]) {
    for attribute in &mut proposal.job.attributes {
        let level = core.iter().find(|(name, _)| *name == attribute.name).map(|(_, level)| *level);
        attribute.max_level = level.filter(|_| attribute.role == Role::QuasiIdentifier);
    }
}

/// Quasi-identifiers that the best release hides, and its loss; `None` where it cannot be told.
fn tried(proposal: &Proposal) -> Option<(Vec<String>, f64)> {
    let mut job = proposal.job.clone();
    job.search.seconds = SECONDS;
    let study = Study::prepare(job, None, false, &Unwatched).ok()?;
    let found = study.search(&Unwatched).ok()?;
    // What a search that was cut short has found depends on the machine.
    let best = found.report.best.as_ref().filter(|_| found.report.optimal)?;
    let ladders = study.task.ladders().iter().zip(best.node.levels());
    let names = study.job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.clone());
    let hidden = names.zip(ladders).filter(|(_, (ladder, level))| **level == ladder.max_level());
    // A column that has one group from the start hides nothing.
    let hidden = hidden.filter(|(_, (ladder, _))| ladder.cardinality(0) > 1).map(|(name, _)| name);
    Some((hidden.collect(), best.loss))
}

fn leave_out(proposal: &mut Proposal, name: &str) {
    let at = proposal.job.attributes.iter().position(|attribute| attribute.name == name);
    proposal.spare.extend(at.map(|at| proposal.job.attributes.remove(at)));
    for column in proposal.columns.iter_mut().filter(|column| column.name == name) {
        column.left_out = true;
        column.reason.push_str("; the best release would hide it in every row, so it is left out");
        column.hierarchy = None;
    }
}
