//! Answers of the parties, put together: everybody joins a copy of the same invitation, and nobody has to wait for another.

use crate::agreement::{Agreement, Amount, ColumnEntry, Holders};
use crate::part::{in_order_of_parties, shared};
use crate::{JointError, flatness, setup};
use paravent_federation::{Protocol, Split};
use paravent_job::{Problem, Problems};
use std::path::{Path, PathBuf};

/// Adds what each answer brings to the federation file, in place. Answers that speak of another invitation, or of the same party in two
/// ways, are refused; all of them together.
pub fn merge(federation: &Path, answers: &[PathBuf]) -> Result<Agreement, JointError> {
    let invitation = setup::load(federation)?;
    let mut problems = Problems::new();
    let mut merged = invitation.clone();
    for path in answers {
        let answer = setup::load(path)?;
        if frame(&answer) != frame(&invitation) {
            let problem = Problem::new(path, "answers another invitation");
            problems.push(
                problem.advise("Its run, protocol, parties, promises or columns are not those of this file"),
            );
            continue;
        }
        take(&mut merged, &answer, path, &mut problems);
    }
    problems.into_result(())?;
    in_order_of_parties(&mut merged);
    let text = merged.to_toml();
    let merged = Agreement::parse(&text, federation)?;
    merged.plan()?;
    setup::save(federation, &text)?;
    Ok(merged)
}

/// The parties that join in an answer; none where it answers another invitation.
pub fn brings(invitation: &Agreement, answer: &Agreement) -> Option<Vec<String>> {
    let joined = answer.parties.iter().filter(|party| party.fingerprint.is_some());
    (frame(answer) == frame(invitation)).then(|| joined.map(|party| party.name.clone()).collect())
}

/// What no answer may change.
fn frame(agreement: &Agreement) -> String {
    let mut frame = agreement.clone();
    for party in &mut frame.parties {
        (party.address, party.fingerprint) = (None, None);
        (party.matched, party.approved) = (None, None);
    }
    if let (Protocol::C(pseudo), Amount::Counted) = (&mut frame.protocol, frame.pseudo_amount) {
        // Everybody raises it to what makes the own columns flat.
        pseudo.percent = 0;
    }
    if frame.split == Split::Vertical {
        // Everybody brings columns, and promises of them.
        frame.columns.clear();
        frame.marked_by = None;
        frame.terms.privacy.models.retain(|model| crate::promises::columns(model).is_empty());
    }
    frame.to_toml()
}

/// What an answer brings: of whoever has joined in it.
fn take(merged: &mut Agreement, answer: &Agreement, path: &Path, problems: &mut Problems) {
    for (position, theirs) in answer.parties.iter().enumerate() {
        if theirs.fingerprint.is_none() {
            continue;
        }
        let known = &mut merged.parties[position];
        let differs = |ours: &Option<String>, theirs: &Option<String>| ours.is_some() && ours != theirs;
        let other_key = known.fingerprint.is_some() && known.fingerprint != theirs.fingerprint;
        if other_key || differs(&known.address, &theirs.address) {
            let message = format!("{} has joined with another address or certificate elsewhere", theirs.name);
            problems.push(
                Problem::new(path, message).advise("Ask which answer is right, and leave out the other"),
            );
            continue;
        }
        (known.address, known.fingerprint) = (theirs.address.clone(), theirs.fingerprint);
    }
    if let Protocol::C(pseudo) = answer.protocol {
        flatness::at_least(merged, pseudo.percent);
    }
    if answer.split == Split::Horizontal {
        return;
    }
    for column in &answer.columns {
        match merged.columns.iter().find(|known| known.name == column.name) {
            None => merged.columns.push(column.clone()),
            Some(known) if known == column => {}
            Some(known) if merged.holders == Holders::Several && same_column(known, column) => {
                let both = shared(known, column.holders().cloned(), &merged.parties);
                merged.columns.iter_mut().filter(|known| known.name == both.name).for_each(|known| {
                    known.clone_from(&both);
                });
            }
            Some(_) => {
                let message = format!("column {:?} is described in two ways", column.name);
                problems.push(
                    Problem::new(path, message).advise("One party releases a column, with one hierarchy"),
                );
            }
        }
    }
    for model in &answer.terms.privacy.models {
        if !merged.terms.privacy.models.contains(model) {
            merged.terms.privacy.models.push(model.clone());
        }
    }
    match (&merged.marked_by, &answer.marked_by) {
        (None, Some(party)) => merged.marked_by = Some(party.clone()),
        (Some(ours), Some(theirs)) if ours != theirs => {
            let message = format!("{ours} and {theirs} both mark the rows to release");
            problems.push(Problem::new(path, message).advise("One of them leaves the column out"));
        }
        _ => {}
    }
}

/// Whether two parties describe a column alike.
fn same_column(ours: &ColumnEntry, theirs: &ColumnEntry) -> bool {
    ours.clone().held_by([]) == theirs.clone().held_by([])
}
