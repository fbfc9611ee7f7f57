//! Values put together: equal to a union in the clear, and nobody can tell whose they are.

use super::*;
use crate::protocols::Conduct;
use crate::wire::{Frame, Message, MessageKind};
use crate::{LONGEST_VALUE, PartyColumn, PartyTable, Recorded, Role, SimulationError, United};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn texts(values: &BTreeSet<u8>) -> Vec<String> {
    values.iter().map(|value| format!("value {value}")).collect()
}

fn plan(parties: u16) -> Plan {
    JointTable::example().plan(Protocol::B, Split::Horizontal, parties)
}

fn three() -> Vec<Vec<String>> {
    vec![texts(&(0..9).collect()), texts(&(3..12).collect()), texts(&(5..8).chain([40]).collect())]
}

fn put_together(simulation: Simulation<'_>) -> Result<Vec<United>, SimulationError> {
    simulation.uniting(&plan(3), three())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn everybody_has_the_union_of_all(
        sets in prop::collection::vec(prop::collection::btree_set(0u8..14, 0..10), 2..=5),
        seed in any::<u64>(),
    ) {
        let lists = sets.iter().map(texts).collect();
        let found = Simulation::seeded(seed).uniting(&plan(sets.len() as u16), lists).unwrap();
        let mut all = texts(&sets.iter().flatten().copied().collect());
        all.sort();
        prop_assert_eq!(found.len(), sets.len());
        for united in found {
            prop_assert_eq!(&united.0, &all);
        }
    }
}

/// By kind: from whom, to whom, which tokens.
fn recorded() -> Vec<(MessageKind, PartyId, PartyId, BTreeSet<crate::crypto::Token>)> {
    let mut seen = Vec::new();
    let tap = |message: &Recorded| {
        let frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
        let (Message::Values(list) | Message::Union(list) | Message::Opening(list)) = frame.message else {
            panic!("{:?} was sent", message.kind);
        };
        seen.push((message.kind, message.from, message.to, list.into_iter().collect()));
    };
    put_together(Simulation::seeded(3).tapped(tap)).unwrap();
    seen
}

#[test]
fn no_list_of_a_party_can_be_found_again_in_the_values_of_all() {
    let seen = recorded();
    let of_kind = |wanted: MessageKind| seen.iter().filter(move |(kind, ..)| *kind == wanted);
    assert_eq!(of_kind(MessageKind::Values).count(), 6);
    assert_eq!(of_kind(MessageKind::Union).count(), 2);
    assert_eq!(of_kind(MessageKind::Opening).count(), 4);
    // The values themselves are in the last two messages only, and those go to everybody alike.
    let is_open = |list: &BTreeSet<crate::crypto::Token>| {
        list.iter().any(|token| crate::crypto::extract(token).is_ok())
    };
    let open: Vec<_> = seen.iter().filter(|(.., list)| is_open(list)).collect();
    assert_eq!(open.len(), 2);
    assert!(open.iter().all(|(kind, from, _, list)| {
        (*kind, *from) == (MessageKind::Opening, party(2)) && *list == open[0].3 && list.len() == 13
    }));
    // Whoever saw the list of another on its way finds none of its tokens in what is opened later, where values could be read. Only the
    // first party sees its right neighbour's list as it opens all, and hands that on before any of it can be read.
    for viewer in (0..3).map(party) {
        let own = of_kind(MessageKind::Values).find(|(_, from, ..)| *from == viewer);
        let of_others = of_kind(MessageKind::Values).filter(|list| {
            (list.1 == viewer || list.2 == viewer) && !own.is_some_and(|own| std::ptr::eq(own, *list))
        });
        for (.., list) in of_others {
            for (_, from, to, opening) in of_kind(MessageKind::Opening) {
                let sees = *from == viewer || *to == viewer;
                let hands_on = (viewer, *from, *to) == (party(0), party(0), party(1));
                assert!(!sees || hands_on || list.is_disjoint(opening), "{viewer:?}: {from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn every_message_is_admitted() {
    let lines = crate::leaks::LeakTable::of_union().sends;
    for (kind, from, to, _) in recorded() {
        let admits = |line: &&crate::leaks::Sends| {
            line.carried_by.contains(&kind)
                && match (line.from, line.to) {
                    ("every primary party", "its right neighbour") => to.0 == (from.0 + 1) % 3,
                    ("every primary party", "its left neighbour") => from.0 == (to.0 + 1) % 3,
                    ("the last primary party", "the other primary parties") => from.0 == 2 && to.0 != 2,
                    other => panic!("nobody knows who {other:?} are"),
                }
        };
        assert!(lines.iter().any(|line| admits(&line)), "{kind:?} {from:?} {to:?}");
    }
}

#[test]
fn lost_and_garbled_lists_end_it() {
    for kind in [MessageKind::Values, MessageKind::Union, MessageKind::Opening] {
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
            assert!(put_together(Simulation::seeded(5).over(network)).is_err(), "{kind:?} {garble}");
        }
    }
}

#[test]
fn a_party_that_loses_values_on_the_way_is_noticed() {
    for cheat in 0..2 {
        let conduct = |id: PartyId| Conduct { loses_people: id == party(cheat), ..Conduct::default() };
        let error = put_together(Simulation::seeded(5).with_conduct(conduct)).unwrap_err().to_string();
        assert!(error.contains("lost on the way"), "{cheat}: {error}");
    }
}

#[test]
fn a_point_that_is_no_text_is_told_and_not_shown() {
    let network = |message: &Recorded| {
        let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
        if let (Message::Opening(list), 2) = (&mut frame.message, message.from.0) {
            *list = vec![crate::crypto::Token(Box::new([255; 32]))];
        }
        vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
    };
    let error = put_together(Simulation::seeded(5).over(network)).unwrap_err().to_string();
    assert!(error.contains("one of them is no text"), "{error}");
}

#[test]
fn values_that_are_too_long_or_there_twice_are_refused_before_anything_is_sent() {
    for (value, why) in [("9".repeat(LONGEST_VALUE + 1), "29 bytes"), ("value 3".to_owned(), "twice")] {
        let mut lists = three();
        lists[1].push(value);
        let mut sent = 0;
        let simulation = Simulation::seeded(5).tapped(|message: &Recorded| {
            sent += u32::from(message.from == party(1));
        });
        let error = simulation.uniting(&plan(3), lists).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(sent, 0);
    }
    // What is shown in logs is a number.
    assert_eq!(format!("{:?}", United(three().concat())), "United(22 values)");
}

#[test]
fn values_leave_a_party_at_the_lowest_level_and_missing_ones_do_not() {
    let table = JointTable::example();
    let mut plan = table.plan(Protocol::B, Split::Horizontal, 3);
    let part: PartyTable = table.deal(&plan).remove(0);
    let counted = |plan: &Plan, part: &PartyTable, column| part.values_of(plan, party(0), column).unwrap();
    let height = plan.columns[0].height();
    let fine = counted(&plan, &part, 0);
    assert_eq!(fine.values().sum::<u64>(), part.rows as u64);
    if let Role::QuasiIdentifier { lowest, .. } = &mut plan.columns[0].role {
        *lowest = height;
    }
    assert_eq!(counted(&plan, &part, 0).len(), 1);
    assert!(counted(&plan, &part, 99).is_empty());
    let gaps = PartyColumn::plain(vec![None, Some("a".to_owned())], vec![0, 1, 1]);
    let some = PartyTable { columns: vec![gaps], rows: 3, identifiers: Vec::new() };
    let plain = Plan { columns: vec![plan.columns[0].clone()], ..plan };
    assert_eq!(counted(&plain, &some, 0), [("a".to_owned(), 2)].into());
}
