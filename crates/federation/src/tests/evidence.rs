//! The numbers that prove a release: what they tell, and that they tell no more.

use super::random::marked;
use super::transcript::{assert_nothing_is_heard, some_table};
use super::*;
use crate::crypto::Token;
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
        assert_nothing_is_heard(&plan, &table);
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
            assert_nothing_is_heard(&plan, &table);
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

#[test]
fn in_protocol_c_all_numbers_are_encrypted_and_what_is_counted_is_admitted() {
    let (table, plan) = close_with_a_withheld_value(FLAT);
    let mut totals = Vec::new();
    let tap = |message: &Recorded| match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
        Message::Totals(told) => {
            assert_eq!((message.from, told.columns.len()), (party(3), 1));
            totals.push(message.to);
        }
        Message::Check(check) => {
            // Numbers of values, of a column with t-closeness only.
            assert_eq!(check.classes.numbers.len(), check.classes.counters.0.len());
            assert!(check.classes.numbers.iter().all(|&number| number < 3));
        }
        Message::Release(Some(release)) => {
            assert!(release.columns.iter().all(|column| column.reference.is_none()));
            assert_eq!(release.totals.len(), 1);
            assert_eq!(release.totals[0].counters.0.len(), 3);
        }
        _ => {}
    };
    let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
    assert_equals_central(&plan, &table, &run);
    assert_eq!(totals, [party(0), party(1), party(2)]);
    assert_nothing_is_heard(&plan, &table);
    let admitted = crate::leaks::LeakTable::of(&plan);
    assert!(admitted.learns.iter().any(|learns| learns.what.contains("values by number")));
    assert!(admitted.leaks.iter().any(|leak| leak.what.contains("which number is which value")));
    assert!(admitted.sends.iter().all(|sends| !sends.what.contains("as plain numbers")));
    // Without the promise there are no numbers, and nothing of the kind is admitted.
    let other = Plan { criteria: vec![Criterion::DistinctLDiversity { column: 1, l: 2 }], ..plan };
    let quiet = |message: &Recorded| match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
        Message::Totals(_) => panic!("totals that nobody needs"),
        Message::Check(check) => assert!(check.classes.numbers.is_empty()),
        _ => {}
    };
    Simulation::seeded(4).tapped(quiet).run(&other, table.deal(&other)).unwrap();
    let admitted = crate::leaks::LeakTable::of(&other);
    assert!(admitted.learns.iter().all(|learns| !learns.what.contains("by number")));
}

#[test]
fn a_helper_that_bends_the_counted_distribution_is_refused() {
    let (table, plan) = close_with_a_withheld_value(FLAT);
    let change = |by: &dyn Fn(&mut crate::wire::SealedRelease)| with_another_release(&table, &plan, by).1;
    // Every value as often as the first.
    let error = change(&|release| {
        let first = release.totals[0].counters.0[0];
        release.totals[0].counters.0.fill(first);
    });
    assert!(error.contains("another distribution than before"), "{error}");
    assert!(change(&|release| release.totals.clear()).contains("a distribution where there should be none"));
    let error = change(&|release| {
        release.totals[0].counters.0.clear();
        release.totals[0].levels.iter_mut().for_each(Vec::clear);
    });
    assert!(error.contains("other values than the plan's"), "{error}");
    let error = change(&|release| {
        let labels = release.columns[1].opened.len() + release.columns[1].sealed.len();
        let shown = vec![Occurrence { rows: 1, branches: Vec::new() }; labels];
        release.columns[1].reference = Some(crate::Reference { shown, withheld: Vec::new() });
    });
    assert!(error.contains("numbers that are not encrypted"), "{error}");
    // Numbers of values that two counters of one class share.
    let tampering = |message: &Recorded| {
        let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
        if let Message::Check(check) = &mut frame.message {
            check.classes.numbers.fill(0);
        }
        vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
    };
    let error = Simulation::seeded(4).over(tampering).run(&plan, table.deal(&plan)).unwrap_err().to_string();
    assert!(error.contains("a value without a number of its own"), "{error}");
}

#[test]
fn in_protocol_c_marks_are_counters_and_that_is_admitted() {
    let bits = [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1];
    let table = marked(some_table(), &bits);
    for split in [Split::Horizontal, Split::Vertical] {
        let mut plan = table.plan(BLOCKS, split, 3);
        plan.criteria = vec![Criterion::KMap { k: 2 }];
        let (mut counters, mut population) = (0, 0);
        let tap = |message: &Recorded| {
            if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
                let marks = part.columns.iter().filter(|column| column.tokens.is_empty());
                assert!(marks.flat_map(|column| &column.cells).all(|&mark| mark == 0));
                counters += part.counters.0.len();
                population += part.population.0.len();
                let different: BTreeSet<_> = part.counters.0.iter().chain(&part.population.0).collect();
                assert_eq!(different.len(), part.counters.0.len() + part.population.0.len());
            }
        };
        let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
        assert_equals_central(&plan, &table, &run);
        assert_eq!(counters, population, "one of each per row");
        let admitted = crate::leaks::LeakTable::of(&plan);
        assert!(admitted.sends.iter().all(|sends| !sends.what.contains("not encrypted")));
        assert!(admitted.sends.iter().any(|sends| sends.what.contains("second encrypted counter")));
        assert!(admitted.learns.iter().all(|learns| !learns.what.contains("as ciphertexts, are to be")));
        // A party that forgets to hide its marks is refused.
        let tampering = |message: &Recorded| {
            let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
            if let Message::Part(part) = &mut frame.message {
                for column in part.columns.iter_mut().filter(|column| column.tokens.is_empty()) {
                    column.cells[0] = 1;
                }
            }
            vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
        };
        let ended = Simulation::seeded(4).over(tampering).run(&plan, table.deal(&plan)).unwrap_err();
        assert!(ended.to_string().contains("marks that are not encrypted"), "{ended}");
    }
}
