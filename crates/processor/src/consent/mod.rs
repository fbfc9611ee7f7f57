//! Who agreed to a purpose: rows of all others do not exist.
//!
//! Two sources: the owner's file, and what was said by command (`paravent consent`), which is kept in the state ([`crate::state::spoken`]). The last
//! word by command counts; the file speaks for everybody else. A date that cannot be read is no consent.
//!
//! Answers with noise follow at once: that a person has left is covered like everything else about a person. In answers without noise withdrawals
//! take effect so many at a time (`batch`), so that two answers around one do not differ by one person.

mod list;
mod say;

pub use list::{Listed, Standing, Told, list, of_person};
pub use say::{ConsentError, Given, give, import, withdraw};

use crate::refusal::AskError;
use crate::state::spoken::{Spoken, Word};
use crate::state::{State, today};
use paravent_algebra::error::AlgebraError;
use paravent_job::Problems;
use paravent_policy::{Consent, Policy};
use paravent_tables::read::{Batch, Input, ReadOptions};
use std::collections::BTreeSet;
use std::path::Path;

/// What a file must have.
const COLUMNS: [&str; 4] = ["person", "purpose", "from", "until"];

/// What an answer is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Noise covers every single person.
    Noise,
    /// Two answers can be held against each other.
    None,
}

/// The people whose rows exist for a purpose, by their keyed numbers; none where the policy asks for no consent.
///
/// # Errors
/// If the file cannot be read, or the state cannot be kept.
pub fn in_effect(
    policy: &Policy,
    purpose: &str,
    cover: Cover,
    state: &State,
) -> Result<Option<BTreeSet<u64>>, AskError> {
    let Some(consent) = &policy.consent else { return Ok(None) };
    let agreed = agreed(policy, consent, purpose, state)?;
    match cover {
        Cover::Noise => Ok(Some(agreed)),
        Cover::None => state.consenting(purpose, agreed, consent.batch as usize).map(Some),
    }
}

/// Everybody who agrees today.
fn agreed(
    policy: &Policy,
    consent: &Consent,
    purpose: &str,
    state: &State,
) -> Result<BTreeSet<u64>, AskError> {
    let words = Spoken::open(state)?.words(purpose);
    let today = today();
    let mut agreed = BTreeSet::new();
    if let Some(file) = &consent.table {
        rows(policy, &policy.source.resolve(file), |_, row| {
            if row.purpose == Some(purpose) && row.holds_on(&today) {
                agreed.extend(row.person.map(|person| number(state, person)));
            }
            Ok::<(), AskError>(())
        })?;
    }
    for (person, word) in words {
        match word {
            Word::Given { from, until, .. } if holds(from.as_deref(), until.as_deref(), &today) => {
                agreed.insert(person);
            }
            Word::Given { .. } | Word::Withdrawn { .. } => {
                agreed.remove(&person);
            }
        }
    }
    Ok(agreed)
}

/// A row of a file with consents.
struct Row<'a> {
    person: Option<&'a str>,
    purpose: Option<&'a str>,
    from: Option<&'a str>,
    until: Option<&'a str>,
}

impl Row<'_> {
    fn holds_on(&self, today: &str) -> bool {
        holds(self.from, self.until, today)
    }
}

/// Goes through a file; rows are numbered from 1.
fn rows<E: From<AskError>>(
    policy: &Policy,
    file: &Path,
    mut each: impl FnMut(u64, Row<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let read = |error| E::from(AlgebraError::Read(error).into());
    let input = Input::new(ReadOptions::new(file.to_owned())).map_err(read)?;
    let mut source = input.open().map_err(read)?;
    let place = |name: &str| source.columns().iter().position(|column| column == name);
    let places: Option<Vec<usize>> = COLUMNS.iter().map(|name| place(name)).collect();
    let Some(places) = places else {
        let message = "the file has not the columns person, purpose, from and until";
        return Err(AskError::from(Problems::from(policy.source.problem("consent.table", message))).into());
    };
    let mut number = 0;
    let mut batch = Batch::default();
    while source.next_batch(&mut batch).map_err(read)? {
        for row in 0..batch.rows {
            let cell = |column: usize| batch.columns[places[column]].get(row);
            number += 1;
            each(number, Row { person: cell(0), purpose: cell(1), from: cell(2), until: cell(3) })?;
        }
    }
    Ok(())
}

/// The keyed number of a person.
pub fn number(state: &State, person: &str) -> u64 {
    state.number(&["consent", person])
}

/// Whether a day lies between two others; a day that cannot be read is none.
fn holds(from: Option<&str>, until: Option<&str>, today: &str) -> bool {
    from.is_none_or(|from| is_date(from) && from <= today)
        && until.is_none_or(|until| is_date(until) && today <= until)
}

/// `2026-11-17`
fn is_date(text: &str) -> bool {
    let is_digit = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_digit)
}
