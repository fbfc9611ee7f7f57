//! The numbers that prove a release: what they tell, and that they tell no more.

use super::random::marked;
use super::transcript::{listen, some_table};
use super::*;
use crate::crypto::Token;
use crate::protocols::Siv;
use crate::wire::{Frame, Message};
use crate::{Closeness, Criterion, JointColumn, PartyColumn, Recorded, Role};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::Ladder;
use std::collections::BTreeSet;

/// A table and a plan with t-closeness under which some rows are suppressed, and a value occurs in suppressed rows only.
fn close_with_a_withheld_value(protocol: Protocol) -> (JointTable, Plan) {
    let column = |name: &str, cells: &[&str], role: Role| {
        let mut values = cells.to_vec();
        values.sort_unstable();
        values.dedup();
        let label = |text: &str| Some(format!("{name} {text}"));
        let row =
            |value: &&str| vec![label(value), label(&format!("like {}", &value[..1])), Some("*".into())];
        let rows: Vec<Vec<Option<String>>> = values.iter().map(row).collect();
        let ladder = Ladder::from_labels(&rows).unwrap();
        let code = |cell: &&str| values.partition_point(|value| value < cell) as u32;
        let data = PartyColumn::with_ladder(ladder, cells.iter().map(code).collect());
        JointColumn { name: name.to_owned(), role, data, hierarchy: None }
    };
    let quasi = Role::QuasiIdentifier {
        height: 2,
        lowest: 0,
        highest: 0,
        weight: 1.0,
        shares: crate::Shares::FromLeaves,
    };
    let ages = ["a1", "a1", "a1", "a1", "b1", "b1", "b1", "b1", "c1"];
    let illnesses = ["flu", "flu", "flu", "gout", "flu", "flu", "flu", "gout", "rare"];
    let table = JointTable {
        columns: vec![
            column("age", &ages, quasi),
            column("illness", &illnesses, Role::Sensitive { height: 2 }),
        ],
        rows: 9,
        sizes: None,
    };
    let mut plan = table.plan(protocol, Split::Horizontal, 3);
    plan.suppression_limit = Fraction::new(2, 10).unwrap();
    let t = Fraction::new(3, 10).unwrap();
    plan.criteria = vec![Criterion::TCloseness { column: 1, t, distance: Closeness::Hierarchical }];
    (table, plan)
}

/// What a release on its way says of a column with t-closeness beyond what is admitted: a label that no released row shows.
fn says_more_than_admitted(message: &Recorded) -> bool {
    let release = match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
        Message::Release(Some(release)) | Message::Decoding(Some(release)) => release,
        _ => return false,
    };
    release.columns.iter().any(|column| {
        let shown: BTreeSet<u32> = column.cells.iter().copied().collect();
        shown.len() != column.opened.len() + column.sealed.len()
    })
}

#[test]
fn the_distribution_goes_home_with_the_release_and_that_is_admitted() {
    for protocol in [Protocol::A, Protocol::B] {
        let (table, plan) = close_with_a_withheld_value(protocol);
        let mut references = Vec::new();
        let tap = |message: &Recorded| {
            assert!(!says_more_than_admitted(message));
            let frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
            if let Message::Release(Some(release)) | Message::Decoding(Some(release)) = frame.message {
                references.extend(release.columns[1].reference.clone());
                assert!(release.columns[0].reference.is_none());
            }
        };
        let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
        assert_eq!(run.release.unwrap().facts.suppressed_rows, 1);
        assert_eq!(references.len(), if protocol == Protocol::A { 4 } else { 1 });
        for reference in references {
            let mut shown: Vec<u32> = reference.shown.iter().map(|value| value.rows).collect();
            shown.sort_unstable();
            assert_eq!((shown, reference.withheld.len(), reference.withheld[0].rows), (vec![2, 6], 1, 1));
        }
        let listener = listen(&plan, &table, |_| Box::new(Siv));
        assert!(listener.found.is_empty(), "{:?}", listener.found);
        let admitted = crate::leaks::LeakTable::of(&plan);
        assert!(admitted.learns.iter().any(|learns| learns.what.contains("suppressed ones included")));
        assert!(admitted.leaks.iter().any(|leak| leak.what.contains("among the suppressed rows")));
        // Without the promise nothing is sent, and nothing admitted.
        let other = Plan { criteria: vec![Criterion::KAnonymity { k: 2 }], ..plan };
        let quiet = crate::leaks::LeakTable::of(&other);
        assert!(quiet.sends.iter().all(|sends| !sends.what.contains("t-closeness")));
        let run = Simulation::seeded(4).run(&other, table.deal(&other)).unwrap();
        assert!(run.release.unwrap().columns.iter().all(|column| column.reference.is_none()));
    }
}

#[test]
fn marks_travel_in_the_clear_and_that_is_admitted() {
    let bits = [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1];
    let table = marked(some_table(), &bits);
    for protocol in [Protocol::A, Protocol::B] {
        for split in [Split::Horizontal, Split::Vertical] {
            let mut plan = table.plan(protocol, split, 3);
            plan.criteria = vec![Criterion::KMap { k: 2 }];
            let mut marks = 0;
            let tap = |message: &Recorded| {
                if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
                    let bits = part.columns.iter().filter(|column| column.tokens.is_empty());
                    marks += bits.flat_map(|column| &column.cells).sum::<u32>();
                }
            };
            let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
            let hops = if protocol == Protocol::A { 2 } else { 1 };
            assert_eq!(marks, hops * bits.iter().sum::<u32>());
            assert_eq!(run.release.unwrap().population.unwrap().rows, 16);
            let listener = listen(&plan, &table, |_| Box::new(Siv));
            assert!(listener.found.is_empty(), "{:?}", listener.found);
            let admitted = crate::leaks::LeakTable::of(&plan);
            assert!(admitted.sends.iter().any(|sends| sends.what.contains("a mark on every row")));
            assert!(admitted.learns.iter().any(|learns| learns.what.contains("only in the population")));
        }
    }
}

/// Changes the release as the helper sends it.
fn with_another_release(
    table: &JointTable,
    plan: &Plan,
    change: impl Fn(&mut crate::wire::SealedRelease),
) -> (bool, String) {
    let mut heard = false;
    let tampering = |message: &Recorded| {
        let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
        let Message::Release(Some(release)) = &mut frame.message else { return vec![message.clone()] };
        change(release);
        let message = Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() };
        heard |= says_more_than_admitted(&message);
        vec![message]
    };
    let ended = Simulation::seeded(4).over(tampering).run(plan, table.deal(plan));
    (heard, ended.unwrap_err().to_string())
}

#[test]
fn a_helper_that_names_a_withheld_value_is_heard_and_refused() {
    let (table, plan) = close_with_a_withheld_value(Protocol::B);
    let (heard, error) = with_another_release(&table, &plan, |release| {
        let column = &mut release.columns[1];
        let last = column.sealed.last().unwrap();
        let after: Vec<u8> = last.0.iter().map(|_| 0xff).collect();
        column.sealed.push(Token(after.into()));
        let reference = column.reference.as_mut().unwrap();
        let told = reference.withheld.pop().unwrap();
        reference.shown.push(told);
    });
    assert!(heard);
    assert!(error.contains("a value that no released row shows"), "{error}");
}

#[test]
fn numbers_that_contradict_the_release_are_refused() {
    let (table, plan) = close_with_a_withheld_value(Protocol::B);
    let refused = |change: &dyn Fn(&mut crate::Reference)| {
        with_another_release(&table, &plan, |release| change(release.columns[1].reference.as_mut().unwrap()))
            .1
    };
    assert!(refused(&|known| known.withheld[0].rows += 1).contains("another number of rows"));
    assert!(refused(&|known| known.shown[0].rows = 1).contains("fewer rows than are released"));
    assert!(refused(&|known| known.withheld[0].rows = 0).contains("a value without rows"));
    let nothing = with_another_release(&table, &plan, |release| release.columns[1].reference = None);
    assert!(nothing.1.contains("none where there should be"), "{}", nothing.1);
    let table = marked(some_table(), &[1; 16]);
    let mut plan = table.plan(Protocol::B, Split::Horizontal, 3);
    plan.criteria = vec![Criterion::KMap { k: 2 }];
    let change = |by: &dyn Fn(&mut crate::Population)| {
        with_another_release(&table, &plan, |release| by(release.population.as_mut().unwrap())).1
    };
    assert!(change(&|known| known.rows = 3).contains("a population where there should be none"));
    assert!(change(&|known| known.of_row[0] += 1).contains("do not go with those of the release"));
}

#[test]
fn a_table_without_a_marked_row_is_no_table() {
    let mut table = marked(some_table(), &[0; 16]);
    table.columns.last_mut().unwrap().data.rows[0] = 0;
    for protocol in [Protocol::A, Protocol::B] {
        let mut plan = table.plan(protocol, Split::Horizontal, 3);
        plan.criteria = vec![Criterion::KMap { k: 2 }];
        let ended = Simulation::seeded(4).run(&plan, table.deal(&plan)).unwrap_err().to_string();
        assert!(ended.contains("no rows"), "{ended}");
    }
}
