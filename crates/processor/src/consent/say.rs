//! Giving and withdrawing by command.

use super::{is_date, number, rows};
use crate::refusal::AskError;
use crate::state::State;
use crate::state::spoken::{Agreement, Record, Spoken};
use paravent_job::closest;
use paravent_policy::Policy;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A person who agrees.
#[derive(Clone, PartialEq, Eq)]
pub struct Given {
    /// The person, as the table has it.
    pub person: String,
    /// To what.
    pub purpose: String,
    /// First day, as `2026-11-17`; none: any.
    pub from: Option<String>,
    /// Last day; none: any.
    pub until: Option<String>,
}

/// The person is a cell, so it is not shown.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Given").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsentError {
    /// The policy has no `[consent]`.
    #[error(
        "the policy asks for no consent, so nothing would come of it. Write [consent] into it, with table = \"consents.csv\" or without"
    )]
    NotAsked,
    /// Nobody asks for that.
    #[error("no recipient of the policy has this purpose. {advice}")]
    Purpose {
        /// What there is.
        advice: String,
    },
    /// A day that is none, or a last day before the first.
    #[error("a day is written as 2026-11-17, and the last is not before the first")]
    Day,
    /// An empty name.
    #[error("a person has no name")]
    Nobody,
    /// A row of a file is wrong; nothing of the file was taken.
    #[error("row {row} of the file: {problem}; nothing of it was taken")]
    Row {
        /// From 1, without the header.
        row: u64,
        /// What is wrong.
        problem: Box<ConsentError>,
    },
    /// The file or the state.
    #[error(transparent)]
    Ask(#[from] AskError),
}

/// A purpose, and from when until when.
type Terms<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// Writes down who agreed; the next answer knows it. All of them, or none. Gives back how many people were named.
///
/// # Errors
/// If one of them is wrong, or the state cannot be kept.
pub fn give(policy: &Policy, given: &[Given]) -> Result<usize, ConsentError> {
    asked(policy)?;
    given.iter().try_for_each(|one| sound(policy, one))?;
    let people: BTreeSet<&str> = given.iter().map(|one| one.person.as_str()).collect();
    if people.is_empty() {
        return Ok(0);
    }
    let state = State::open(&policy.state_folder())?;
    let mut alike: BTreeMap<Terms<'_>, BTreeSet<u64>> = BTreeMap::new();
    for one in given {
        let what = (one.purpose.as_str(), one.from.as_deref(), one.until.as_deref());
        alike.entry(what).or_default().insert(number(&state, &one.person));
    }
    let agreement = |((purpose, from, until), people): (Terms<'_>, BTreeSet<u64>)| Agreement {
        purpose: purpose.to_owned(),
        from: from.map(str::to_owned),
        until: until.map(str::to_owned),
        people: people.into_iter().collect(),
    };
    let agreements = alike.into_iter().map(agreement).collect();
    Spoken::open(&state)?.add(Record::Given { agreements })?;
    Ok(people.len())
}

/// Takes everybody of a file with the columns `person`, `purpose`, `from` and `until`: all rows, or none.
///
/// # Errors
/// The first row that is wrong, by its number.
pub fn import(policy: &Policy, file: &Path) -> Result<usize, ConsentError> {
    asked(policy)?;
    let mut given = Vec::new();
    rows(policy, file, |row, cells| {
        let text = |cell: Option<&str>| cell.filter(|cell| !cell.is_empty()).map(str::to_owned);
        let one = Given {
            person: text(cells.person).unwrap_or_default(),
            purpose: text(cells.purpose).unwrap_or_default(),
            from: text(cells.from),
            until: text(cells.until),
        };
        sound(policy, &one).map_err(|problem| ConsentError::Row { row, problem: Box::new(problem) })?;
        given.push(one);
        Ok::<(), ConsentError>(())
    })?;
    give(policy, &given)
}

/// Writes down who withdrew, from one purpose or from all; the next answer knows it. Gives back how many people were named.
///
/// # Errors
/// If the purpose is nobody's, or the state cannot be kept.
pub fn withdraw(policy: &Policy, purpose: Option<&str>, people: &[String]) -> Result<usize, ConsentError> {
    asked(policy)?;
    purpose.map_or(Ok(()), |purpose| known(policy, purpose))?;
    if people.iter().any(String::is_empty) {
        return Err(ConsentError::Nobody);
    }
    if people.is_empty() {
        return Ok(0);
    }
    let state = State::open(&policy.state_folder())?;
    let people: BTreeSet<u64> = people.iter().map(|person| number(&state, person)).collect();
    let count = people.len();
    let people = people.into_iter().collect();
    Spoken::open(&state)?.add(Record::Withdrawn { purpose: purpose.map(str::to_owned), people })?;
    Ok(count)
}

pub(super) fn asked(policy: &Policy) -> Result<(), ConsentError> {
    match policy.consent.is_some() {
        true => Ok(()),
        false => Err(ConsentError::NotAsked),
    }
}

fn sound(policy: &Policy, given: &Given) -> Result<(), ConsentError> {
    if given.person.is_empty() {
        return Err(ConsentError::Nobody);
    }
    known(policy, &given.purpose)?;
    let days = [&given.from, &given.until];
    let reversed = given.from.as_ref().zip(given.until.as_ref()).is_some_and(|(from, until)| until < from);
    match reversed || days.into_iter().flatten().any(|day| !is_date(day)) {
        true => Err(ConsentError::Day),
        false => Ok(()),
    }
}

fn known(policy: &Policy, purpose: &str) -> Result<(), ConsentError> {
    let purposes: BTreeSet<&str> =
        policy.recipients.iter().flat_map(|one| one.purposes.iter().map(String::as_str)).collect();
    if purposes.contains(purpose) {
        return Ok(());
    }
    let all = purposes.iter().copied().collect::<Vec<_>>().join(", ");
    let advice = match closest(purpose, purposes.iter().copied()) {
        Some(meant) => format!("Did you mean \"{meant}\"? Purposes: {all}"),
        None => format!("Purposes: {all}"),
    };
    Err(ConsentError::Purpose { advice })
}
