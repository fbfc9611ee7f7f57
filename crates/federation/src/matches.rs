//! How many people the parties have in common.

use crate::crypto::Token;
use crate::parties::PartyId;
use std::collections::BTreeMap;

/// Numbers of people, by party, by pair and in all. Who they are, nobody has learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// By party: its people.
    pub people: Vec<u64>,
    /// By two parties, the first before the second: people that both know.
    pub shared: BTreeMap<(PartyId, PartyId), u64>,
    /// People that every party with people knows.
    pub everywhere: u64,
    /// Different people.
    pub all: u64,
}

impl Matches {
    /// Of lists in which a person is the same token everywhere, each list strictly ascending.
    pub(crate) fn of(lists: &BTreeMap<PartyId, Vec<Token>>) -> Matches {
        let mut known_to: BTreeMap<&Token, Vec<PartyId>> = BTreeMap::new();
        for (&party, tokens) in lists {
            tokens.iter().for_each(|token| known_to.entry(token).or_default().push(party));
        }
        let holding = lists.values().filter(|tokens| !tokens.is_empty()).count();
        let parties: Vec<PartyId> = lists.keys().copied().collect();
        let pairs = parties
            .iter()
            .enumerate()
            .flat_map(|(at, &first)| parties[at + 1..].iter().map(move |&second| (first, second)));
        let mut shared: BTreeMap<(PartyId, PartyId), u64> = pairs.map(|pair| (pair, 0)).collect();
        let mut everywhere = 0;
        for holders in known_to.values() {
            everywhere += u64::from(holders.len() == holding);
            for (at, &first) in holders.iter().enumerate() {
                for &second in &holders[at + 1..] {
                    *shared.entry((first, second)).or_insert(0) += 1;
                }
            }
        }
        Matches {
            people: lists.values().map(|tokens| tokens.len() as u64).collect(),
            shared,
            everywhere,
            all: known_to.len() as u64,
        }
    }

    /// Whether every party with people knows the same ones.
    pub fn is_complete(&self) -> bool {
        self.everywhere == self.all
    }

    /// Of the people of a party: how many at least one other party does not know.
    pub fn not_everywhere(&self, party: PartyId) -> u64 {
        let people = self.people.get(usize::from(party.0)).copied().unwrap_or(0);
        people.saturating_sub(self.everywhere)
    }

    /// Two parties that have people in common, and how many, if there are any.
    pub(crate) fn at_two_parties(&self) -> Option<(PartyId, PartyId, u64)> {
        let mut shared = self.shared.iter();
        shared.find(|(_, people)| **people > 0).map(|(&(first, second), &people)| (first, second, people))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn counts_are_those_of_sets(lists in prop::collection::vec(prop::collection::btree_set(0u8..12, 0..10), 2..5)) {
            let tokens = |people: &BTreeSet<u8>| people.iter().map(|&person| Token(Box::new([person]))).collect();
            let found = Matches::of(&(0u16..).map(PartyId).zip(lists.iter().map(tokens)).collect());
            for (&(first, second), &people) in &found.shared {
                let (first, second) = (&lists[usize::from(first.0)], &lists[usize::from(second.0)]);
                prop_assert_eq!(people, first.intersection(second).count() as u64);
            }
            prop_assert_eq!(found.shared.len(), lists.len() * (lists.len() - 1) / 2);
            let all: BTreeSet<u8> = lists.iter().flatten().copied().collect();
            let holding = || lists.iter().filter(|people| !people.is_empty());
            let everywhere = all.iter().filter(|person| holding().all(|people| people.contains(person))).count();
            prop_assert_eq!((found.all, found.everywhere), (all.len() as u64, everywhere as u64));
            prop_assert_eq!(found.is_complete(), holding().all(|people| *people == all));
            prop_assert_eq!(found.at_two_parties().is_none(), lists.iter().map(BTreeSet::len).sum::<usize>() == all.len());
        }
    }
}
