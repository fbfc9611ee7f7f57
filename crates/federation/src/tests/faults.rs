//! A network that does what networks do: the run ends, and never with a wrong release.

use super::*;
use crate::wire::MessageKind;
use crate::{Recorded, SimulationError};

fn plans() -> Vec<Plan> {
    let table = JointTable::example();
    let mut plans = Vec::new();
    for split in [Split::Horizontal, Split::Vertical] {
        plans.push(table.plan(Protocol::A, split, 3));
        plans.push(private(table.plan(Protocol::B, split, 3)));
        let mut counted = table.plan(COPIES, split, 3);
        counted.suppression_limit = paravent_core::exact::Fraction::new(1, 8).unwrap();
        plans.push(counted);
    }
    plans.push(super::equality::hybrid(&table));
    // The only one that sends distributions.
    let mut close = table.plan(COPIES, Split::Horizontal, 3);
    close.columns[0].role = crate::Role::Sensitive { height: 1 };
    let (t, distance) = (paravent_core::exact::Fraction::new(3, 4).unwrap(), crate::Closeness::Equal);
    close.criteria.push(crate::Criterion::TCloseness { column: 0, t, distance });
    plans.push(close);
    plans
}

/// Runs every plan once per message kind it uses, with the fault at the first message of that kind.
fn with_fault(
    mut check: impl FnMut(Result<Run, SimulationError>, MessageKind),
    fault: impl Fn(&Recorded, &[Recorded]) -> Vec<Recorded>,
) {
    let table = JointTable::example();
    for plan in plans() {
        let mut kinds: Vec<MessageKind> = Vec::new();
        let note = |message: &Recorded| {
            if !kinds.contains(&message.kind) {
                kinds.push(message.kind);
            }
        };
        Simulation::seeded(2).tapped(note).run(&plan, table.deal(&plan)).unwrap();
        for kind in kinds {
            let mut done = false;
            let mut before: Vec<Recorded> = Vec::new();
            let network = |message: &Recorded| {
                let delivered = if message.kind == kind && !done {
                    done = true;
                    fault(message, &before)
                } else {
                    vec![message.clone()]
                };
                before.push(message.clone());
                delivered
            };
            check(Simulation::seeded(2).over(network).run(&plan, table.deal(&plan)), kind);
        }
    }
}

fn changed(message: &Recorded, change: impl FnOnce(&mut Vec<u8>)) -> Vec<Recorded> {
    let mut message = message.clone();
    change(&mut message.bytes);
    vec![message]
}

#[test]
fn a_lost_message_stops_the_run() {
    with_fault(|outcome, kind| assert!(outcome.is_err(), "{kind:?}"), |_, _| Vec::new());
}

#[test]
fn a_repeated_message_stops_the_run() {
    with_fault(
        |outcome, kind| {
            let error = outcome.unwrap_err();
            let text = error.to_string();
            assert!(text.contains("repeated") || text.contains("has stopped"), "{kind:?}: {text}");
        },
        |message, _| vec![message.clone(), message.clone()],
    );
}

#[test]
fn a_replayed_message_stops_the_run() {
    with_fault(
        |outcome, kind| assert!(outcome.is_err(), "{kind:?}"),
        |message, before| {
            let earlier = before.iter().find(|old| (old.from, old.to) == (message.from, message.to));
            // The first on its channel has no forerunner; it is lost instead.
            earlier.map(|old| vec![old.clone()]).unwrap_or_default()
        },
    );
}

#[test]
fn truncated_and_damaged_messages_stop_the_run() {
    let faults: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(3),
        |bytes| bytes.clear(),
        |bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 0x10;
        },
        |bytes| bytes.push(0),
    ];
    for fault in faults {
        with_fault(
            |outcome, kind| assert!(outcome.is_err(), "{kind:?}"),
            |message, _| changed(message, fault),
        );
    }
}

#[test]
fn messages_of_other_versions_plans_and_senders_stop_the_run() {
    // Positions in the header: magic 0, version 4, plan 6, from 22, to 24, number 26, kind 30, length 31.
    for (position, expected) in [(0, "not a message of this protocol"), (4, "version"), (30, "kind")] {
        with_fault(
            |outcome, kind| {
                let text = outcome.unwrap_err().to_string();
                assert!(text.contains(expected), "{kind:?}: {text}");
            },
            |message, _| changed(message, |bytes| bytes[position] = 0xee),
        );
    }
    for position in [6, 22, 24, 26] {
        with_fault(
            |outcome, kind| assert!(outcome.is_err(), "{kind:?}"),
            |message, _| changed(message, |bytes| bytes[position] ^= 1),
        );
    }
}

#[test]
fn a_message_on_a_foreign_channel_stops_the_run() {
    with_fault(
        |outcome, kind| {
            let text = outcome.unwrap_err().to_string();
            assert!(text.contains("channel of"), "{kind:?}: {text}");
        },
        |message, _| {
            let other = PartyId(if message.from.0 == 0 { 1 } else { 0 });
            vec![Recorded { from: other, ..message.clone() }]
        },
    );
}

#[test]
fn absurd_lengths_are_refused_before_memory_is_taken() {
    with_fault(
        |outcome, kind| {
            let text = outcome.unwrap_err().to_string();
            assert!(text.contains("more than allowed"), "{kind:?}: {text}");
        },
        |message, _| changed(message, |bytes| bytes[31..39].copy_from_slice(&u64::MAX.to_le_bytes())),
    );
}

#[test]
fn parties_with_different_plans_notice() {
    let table = JointTable::example();
    let plan = table.plan(Protocol::B, Split::Horizontal, 3);
    let mut other = plan.clone();
    other.criteria = vec![crate::Criterion::KAnonymity { k: 3 }];
    assert_ne!(plan.digest(), other.digest());
    use rand::SeedableRng;
    let rng = |seed| Box::new(rand::rngs::ChaCha20Rng::seed_from_u64(seed));
    let mut parts = table.deal(&plan).into_iter();
    let (mut first, _) =
        crate::Party::primary(&plan, party(0), parts.next().unwrap(), rng(1), &mut ()).unwrap();
    let (_, said) = crate::Party::primary(&other, party(1), parts.next().unwrap(), rng(2), &mut ()).unwrap();
    let message = said.outgoing.iter().find(|message| message.to == party(0)).unwrap();
    let error = first.receive(party(1), &message.bytes, &mut ()).unwrap_err();
    assert!(error.to_string().contains("another plan"), "{error}");
    // A party that has stopped stays stopped.
    let error = first.receive(party(1), &message.bytes, &mut ()).unwrap_err();
    assert!(error.to_string().contains("has stopped"), "{error}");
}
