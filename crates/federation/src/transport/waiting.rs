//! Who waits for whom. Signs of life say it, so that a party that lives and says nothing is named, and not one that waits for it.

use crate::parties::PartyId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// By party: for whom it waits; for nobody while it is at work. What others say of themselves, and what this one does.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<BTreeMap<PartyId, Vec<PartyId>>>>);

impl Waiting {
    pub(super) fn note(&self, who: PartyId, for_whom: Vec<PartyId>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(who, for_whom);
    }

    pub(super) fn of(&self, who: PartyId) -> Vec<PartyId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&who).cloned().unwrap_or_default()
    }

    /// Whom all wait for in the end: those at work among the awaited ones, those whom these await, and so on. Where everybody waits, a message was
    /// lost on its way, and the ones that the awaited ones await are told. Nobody, if that says no more than who is awaited.
    pub(super) fn behind(&self, me: PartyId, awaited: &[PartyId], known: &BTreeSet<PartyId>) -> Vec<PartyId> {
        let others =
            |party: PartyId| self.of(party).into_iter().filter(|other| known.contains(other) && *other != me);
        let mut reached: BTreeSet<PartyId> = awaited.iter().copied().collect();
        let mut next: Vec<PartyId> = awaited.to_vec();
        while let Some(party) = next.pop() {
            next.extend(others(party).filter(|other| reached.insert(*other)));
        }
        let at_work: Vec<PartyId> = reached.into_iter().filter(|party| self.of(*party).is_empty()).collect();
        let behind = match at_work.is_empty() {
            false => at_work,
            true => {
                awaited.iter().flat_map(|&party| others(party)).collect::<BTreeSet<_>>().into_iter().collect()
            }
        };
        if behind.iter().eq(awaited) { Vec::new() } else { behind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parties(numbers: &[u16]) -> Vec<PartyId> {
        numbers.iter().copied().map(PartyId).collect()
    }

    /// Whom party 0 names when it waits for some, and the others for these.
    fn named(awaited: &[u16], others: &[(u16, &[u16])]) -> Vec<u16> {
        let waiting = Waiting::default();
        waiting.note(PartyId(0), parties(awaited));
        others.iter().for_each(|(who, whom)| waiting.note(PartyId(*who), parties(whom)));
        let known = parties(&[1, 2, 3]).into_iter().collect();
        waiting.behind(PartyId(0), &parties(awaited), &known).into_iter().map(|party| party.0).collect()
    }

    #[test]
    fn the_one_at_work_is_named_and_not_those_who_wait_for_it() {
        assert_eq!(named(&[3], &[(3, &[1])]), [1]);
        assert_eq!(named(&[3], &[(3, &[1, 2]), (2, &[1])]), [1]);
        assert_eq!(named(&[1, 2, 3], &[(1, &[2]), (3, &[2])]), [2]);
        // Nothing to add: it is at work, or has not said.
        assert_eq!(named(&[3], &[(3, &[])]), []);
        assert_eq!(named(&[3], &[]), []);
        assert_eq!(named(&[1, 2], &[]), []);
        // A message was lost: everybody waits.
        assert_eq!(named(&[3], &[(3, &[1]), (1, &[0, 3])]), [1]);
        assert_eq!(named(&[3], &[(3, &[0])]), []);
        // Nobody's party.
        assert_eq!(named(&[3], &[(3, &[70])]), []);
    }
}
