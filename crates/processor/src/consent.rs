//! Who agreed to a purpose: rows of all others do not exist.
//!
//! The file is the owner's. A date that cannot be read is no consent. Withdrawals take effect so many at a time (`batch`), so that two answers around
//! one do not differ by one person; who waits is kept in the state, by a keyed number.

use crate::refusal::AskError;
use crate::state::{State, today};
use paravent_algebra::error::AlgebraError;
use paravent_job::Problems;
use paravent_policy::Policy;
use paravent_tables::read::{Batch, Input, ReadOptions};
use std::collections::BTreeSet;

/// What the file must have.
const COLUMNS: [&str; 4] = ["person", "purpose", "from", "until"];

/// The people whose rows exist for a purpose, by their keyed numbers; none where the policy asks for no consent.
///
/// # Errors
/// If the file cannot be read, or the state cannot be kept.
pub fn in_effect(policy: &Policy, purpose: &str, state: &State) -> Result<Option<BTreeSet<u64>>, AskError> {
    let Some(consent) = &policy.consent else { return Ok(None) };
    let input =
        Input::new(ReadOptions::new(policy.source.resolve(&consent.table))).map_err(AlgebraError::Read)?;
    let mut source = input.open().map_err(AlgebraError::Read)?;
    let place = |name: &str| source.columns().iter().position(|column| column == name);
    let places: Option<Vec<usize>> = COLUMNS.iter().map(|name| place(name)).collect();
    let Some(places) = places else {
        let message = "the file has not the columns person, purpose, from and until";
        return Err(Problems::from(policy.source.problem("consent.table", message)).into());
    };
    let today = today();
    let mut agreed = BTreeSet::new();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch).map_err(AlgebraError::Read)? {
        for row in 0..batch.rows {
            let cell = |number: usize| batch.columns[places[number]].get(row);
            let (Some(person), Some(what_for)) = (cell(0), cell(1)) else { continue };
            let begun = cell(2).is_none_or(|from| is_date(from) && from <= today.as_str());
            let goes_on = cell(3).is_none_or(|until| is_date(until) && today.as_str() <= until);
            if what_for == purpose && begun && goes_on {
                agreed.insert(number(state, person));
            }
        }
    }
    state.consenting(purpose, agreed, consent.batch as usize).map(Some)
}

/// The keyed number of a person.
pub fn number(state: &State, person: &str) -> u64 {
    state.number(&["consent", person])
}

/// `2026-11-17`
fn is_date(text: &str) -> bool {
    let is_digit = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_digit)
}
