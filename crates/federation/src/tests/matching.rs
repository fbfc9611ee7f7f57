//! Counting people: equal to counting in the clear, and nothing else is told.

use super::*;
use crate::protocols::Conduct;
use crate::wire::{Frame, Message, MessageKind};
use crate::{Matches, Recorded, SamePerson, SimulationError};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn lists(sets: &[BTreeSet<u8>]) -> Vec<Vec<String>> {
    sets.iter().map(|people| people.iter().map(|person| format!("person {person}")).collect()).collect()
}

fn plan(parties: u16) -> Plan {
    JointTable::example().plan(Protocol::B, Split::Vertical, parties)
}

fn three() -> Vec<Vec<String>> {
    lists(&[(0..9).collect(), (3..12).collect(), (5..8).collect()])
}

fn counted(simulation: Simulation<'_>) -> Result<Vec<Matches>, SimulationError> {
    simulation.matching(&plan(3), three())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn everybody_learns_the_numbers_that_one_place_would_count(
        sets in prop::collection::vec(prop::collection::btree_set(0u8..14, 0..10), 2..=4),
        seed in any::<u64>(),
    ) {
        let found = Simulation::seeded(seed).matching(&plan(sets.len() as u16), lists(&sets)).unwrap();
        prop_assert_eq!(found.len(), sets.len());
        for matches in found {
            prop_assert_eq!(&matches.people, &sets.iter().map(|set| set.len() as u64).collect::<Vec<_>>());
            for (&(a, b), &people) in &matches.shared {
                let both = sets[usize::from(a.0)].intersection(&sets[usize::from(b.0)]).count();
                prop_assert_eq!(people, both as u64);
            }
        }
    }
}

#[test]
fn lists_have_other_tokens_at_every_hop_and_no_name_in_them() {
    let mut seen: Vec<(PartyId, BTreeSet<crate::crypto::Token>)> = Vec::new();
    let mut everyone = Vec::new();
    let tap = |message: &Recorded| {
        let (_, _, body) = Frame::body(&message.bytes, 1 << 30).unwrap();
        assert!(!body.windows(6).any(|window| window == b"person"));
        match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
            Message::People(list) => seen.push((message.from, list.into_iter().collect())),
            Message::Everyone(list) => everyone.push((message.from, list)),
            Message::Contribution(_) | Message::Confirmation(_) => {}
            other => panic!("{:?} was sent", other.kind()),
        }
    };
    counted(Simulation::seeded(3).tapped(tap)).unwrap();
    assert_eq!((seen.len(), everyone.len()), (6, 6));
    // On the way no two lists have a token in common: nobody can compare before all layers are on.
    for (at, (_, one)) in seen.iter().enumerate() {
        assert!(seen[at + 1..].iter().all(|(_, other)| one.is_disjoint(other)));
    }
    let admitted = crate::leaks::LeakTable::of_matching();
    assert!(admitted.sends.iter().any(|sends| sends.what.contains("encrypted identifiers")));
    assert!(admitted.learns.iter().any(|learns| learns.what.contains("in common")));
    assert!(admitted.leaks.iter().any(|leak| leak.what.contains("made for the purpose")));
}

#[test]
fn lost_and_garbled_lists_end_the_counting() {
    for kind in [MessageKind::Contribution, MessageKind::People, MessageKind::Everyone] {
        for garble in [false, true] {
            let mut done = false;
            let network = |message: &Recorded| {
                if message.kind != kind || std::mem::replace(&mut done, true) {
                    return vec![message.clone()];
                }
                let mut message = message.clone();
                let middle = message.bytes.len() / 2;
                message.bytes[middle] ^= 1;
                if garble { vec![message] } else { Vec::new() }
            };
            assert!(counted(Simulation::seeded(5).over(network)).is_err(), "{kind:?} {garble}");
        }
    }
}

#[test]
fn a_list_with_something_else_than_points_names_its_sender() {
    let network = |message: &Recorded| {
        let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
        if let (Message::People(list), 1) = (&mut frame.message, message.from.0) {
            *list = vec![crate::crypto::Token(Box::new([255; 32]))];
        }
        vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
    };
    let error = counted(Simulation::seeded(5).over(network)).unwrap_err().to_string();
    assert!(error.contains("party 3: what party 2 sent"), "{error}");
}

#[test]
fn a_party_that_loses_people_on_the_way_is_noticed() {
    for cheat in 0..3 {
        let conduct = |id: PartyId| Conduct { loses_people: id == party(cheat), ..Conduct::default() };
        let error = counted(Simulation::seeded(5).with_conduct(conduct)).unwrap_err().to_string();
        assert!(error.contains("another number of people"), "{error}");
    }
}

#[test]
fn two_rows_of_one_person_are_refused_before_anything_is_sent() {
    let mut twice = three();
    twice[1].push("person 4".to_owned());
    let error = Simulation::seeded(5).matching(&plan(3), twice).unwrap_err().to_string();
    assert!(error.contains("two rows have the same one"), "{error}");
}

/// A horizontal plan whose parties agreed that nobody is at two of them.
fn apart(protocol: Protocol, table: &JointTable) -> Plan {
    Plan { same_person: SamePerson::Refused, ..table.plan(protocol, Split::Horizontal, 3) }
}

#[test]
fn nobody_at_two_sites_changes_nothing() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES, FLAT] {
        let plan = apart(protocol, &table);
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

#[test]
fn the_same_person_at_two_sites_ends_the_run_before_a_cell_is_sent() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        let plan = apart(protocol, &table);
        let mut parts = table.deal(&plan);
        parts[2].identifiers[0] = parts[0].identifiers[1].clone();
        let mut kinds = BTreeSet::new();
        let tap = |message: &Recorded| {
            kinds.insert(message.kind);
        };
        let error = Simulation::seeded(5).tapped(tap).run(&plan, parts).unwrap_err().to_string();
        assert!(error.contains("1 people of party 1 are at party 3, too"), "{error}");
        assert!(!kinds.contains(&MessageKind::Part) && kinds.contains(&MessageKind::Everyone));
        let admitted = crate::leaks::LeakTable::of(&plan);
        assert!(admitted.learns.iter().any(|learns| learns.what.contains("in common")));
    }
}

#[test]
fn a_vertical_split_has_everybody_at_several_parties() {
    let table = JointTable::example();
    let plan = Plan { split: Split::Vertical, ..apart(Protocol::B, &table) };
    let error = Simulation::seeded(5).run(&plan, table.deal(&plan)).unwrap_err().to_string();
    assert!(error.contains("same person"), "{error}");
}
