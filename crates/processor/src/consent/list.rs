//! What stands, for the owner: numbers of people, or one person's own standing. Nobody is named.

use super::say::{ConsentError, asked};
use super::{agreed, number, rows};
use crate::refusal::AskError;
use crate::state::spoken::{Spoken, Word};
use crate::state::{State, today};
use paravent_policy::Policy;
use std::collections::BTreeSet;

/// How many people agree to a purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What for.
    pub purpose: String,
    /// People who agree today.
    pub agreed: usize,
    /// People whose last word by command was a withdrawal.
    pub withdrawn: usize,
    /// People who agree no more and are still in answers without noise, because fewer than `batch` of them wait.
    pub waiting: usize,
}

/// Where a person stands with a purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What for.
    pub purpose: String,
    /// Whether the person's rows exist for it today.
    pub agrees: bool,
    /// Whether they are still in answers without noise.
    pub waits: bool,
    /// Who said so.
    pub told: Told,
}

/// Where a standing comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nobody said anything, so there is no consent.
    Nothing,
    /// The owner's file.
    File,
    /// Given by command.
    Given {
        /// First day; none: any.
        from: Option<String>,
        /// Last day; none: any.
        until: Option<String>,
        /// When it was written.
        time: String,
    },
    /// Withdrawn by command.
    Withdrawn {
        /// When it was written.
        time: String,
    },
}

/// All purposes of the policy.
///
/// # Errors
/// If the policy asks for no consent, or file or state cannot be read.
pub fn list(policy: &Policy) -> Result<Vec<Listed>, ConsentError> {
    asked(policy)?;
    let state = State::open(&policy.state_folder())?;
    let spoken = Spoken::open(&state)?;
    let one = |purpose: String| -> Result<Listed, ConsentError> {
        let agreed = agreed_to(policy, &purpose, &state)?;
        let words = spoken.words(&purpose);
        let waiting = waiting(policy, &purpose, &agreed, &state)?.len();
        let withdrawn = words.values().filter(|word| matches!(word, Word::Withdrawn { .. })).count();
        Ok(Listed { agreed: agreed.len(), withdrawn, waiting, purpose })
    };
    purposes(policy).into_iter().map(one).collect()
}

/// Where one person stands with every purpose.
///
/// # Errors
/// As [`list`].
pub fn of_person(policy: &Policy, person: &str) -> Result<Vec<Standing>, ConsentError> {
    asked(policy)?;
    let state = State::open(&policy.state_folder())?;
    let spoken = Spoken::open(&state)?;
    let own = number(&state, person);
    let one = |purpose: String| -> Result<Standing, ConsentError> {
        let agreed = agreed_to(policy, &purpose, &state)?;
        let told = match spoken.words(&purpose).remove(&own) {
            Some(Word::Given { from, until, time }) => Told::Given { from, until, time },
            Some(Word::Withdrawn { time }) => Told::Withdrawn { time },
            None if in_file(policy, person, &purpose)? => Told::File,
            None => Told::Nothing,
        };
        let waits = waiting(policy, &purpose, &agreed, &state)?.contains(&own);
        Ok(Standing { agrees: agreed.contains(&own), waits, told, purpose })
    };
    purposes(policy).into_iter().map(one).collect()
}

fn purposes(policy: &Policy) -> BTreeSet<String> {
    policy.recipients.iter().flat_map(|one| one.purposes.iter().cloned()).collect()
}

fn agreed_to(policy: &Policy, purpose: &str, state: &State) -> Result<BTreeSet<u64>, AskError> {
    match &policy.consent {
        Some(consent) => agreed(policy, consent, purpose, state),
        None => Ok(BTreeSet::new()),
    }
}

/// Whoever the next answer without noise would still have, though they agree no more.
fn waiting(
    policy: &Policy,
    purpose: &str,
    agreed: &BTreeSet<u64>,
    state: &State,
) -> Result<BTreeSet<u64>, AskError> {
    let batch = policy.consent.as_ref().map_or(1, |consent| consent.batch as usize);
    let left: BTreeSet<u64> = state.consented(purpose)?.difference(agreed).copied().collect();
    Ok(if left.len() < batch { left } else { BTreeSet::new() })
}

fn in_file(policy: &Policy, person: &str, purpose: &str) -> Result<bool, AskError> {
    let Some(file) = policy.consent.as_ref().and_then(|consent| consent.table.as_ref()) else {
        return Ok(false);
    };
    let (today, mut found) = (today(), false);
    rows(policy, &policy.source.resolve(file), |_, row| {
        found |= row.person == Some(person) && row.purpose == Some(purpose) && row.holds_on(&today);
        Ok::<(), AskError>(())
    })?;
    Ok(found)
}
