//! Who searches may be lazy, or cheat: nobody decrypts for it.

use super::equality::hybrid;
use super::random::{sensitive, table};
use super::*;
use crate::error::ProtocolError;
use crate::protocols::{Conduct, Forgery, seal_release};
use crate::wire::{CounterList, EncryptedPart, SealedRelease};
use crate::{Criterion, Facts, Role, SimulationError};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

fn lowest(plan: &Plan) -> Vec<u8> {
    plan.quasi_identifiers().into_iter().map(|column| plan.lowest_level(column)).collect()
}

fn all_rows(table: &EncryptedPart) -> Vec<u32> {
    (0..table.rows).collect()
}

/// Does not search: the table as it came, and says so.
fn lazy(plan: &Plan, table: &EncryptedPart, found: SealedRelease) -> SealedRelease {
    let facts = Facts { node: lowest(plan), suppressed_rows: 0, ..found.facts };
    seal_release(plan, table, facts, &all_rows(table), CounterList::default())
}

/// The same, and lies about the levels; classes are large since rows come several times, and as many rows as were brought.
fn raw_cells_in_disguise(plan: &Plan, table: &EncryptedPart, found: SealedRelease) -> SealedRelease {
    let copies = plan.promised_class() as u32;
    let rows: Vec<u32> = (0..table.rows).map(|row| row / copies * copies % table.rows.max(1)).collect();
    let rows: Vec<u32> = rows.iter().map(|&row| row.min((table.rows / copies - 1) * copies)).collect();
    let facts = Facts { node: lowest(plan), suppressed_rows: 0, ..found.facts.clone() };
    let raw = seal_release(plan, table, facts, &rows, CounterList::default());
    SealedRelease { facts: Facts { suppressed_rows: 0, ..found.facts }, ..raw }
}

/// The rows of the lowest node as often as a class must be large: more rows than there are.
fn more_rows_than_there_are(plan: &Plan, table: &EncryptedPart, found: SealedRelease) -> SealedRelease {
    let copies = plan.promised_class() as usize;
    let rows: Vec<u32> = all_rows(table).iter().flat_map(|&row| std::iter::repeat_n(row, copies)).collect();
    let facts = Facts { node: lowest(plan), suppressed_rows: 0, ..found.facts };
    seal_release(plan, table, facts, &rows, CounterList::default())
}

/// Leaves out what it likes, and says nothing.
fn silent_about_what_is_left_out(plan: &Plan, table: &EncryptedPart, found: SealedRelease) -> SealedRelease {
    let node = plan.columns.iter().filter(|column| matches!(column.role, Role::QuasiIdentifier { .. }));
    let facts = Facts { node: node.map(|column| column.height()).collect(), ..found.facts };
    seal_release(plan, table, facts, &all_rows(table)[1..], CounterList::default())
}

fn with_forger(
    plan: &Plan,
    joint: &JointTable,
    forger: PartyId,
    forgery: Forgery,
    honest: PartyId,
) -> (PartyId, ProtocolError) {
    let conduct = |party| Conduct {
        forges: (party == forger).then_some(forgery),
        believes: party != honest,
        ..Conduct::default()
    };
    match Simulation::seeded(7).with_conduct(conduct).run(plan, joint.deal(plan)) {
        Err(SimulationError::Party { party, source }) => (party, *source),
        other => panic!("a cheat got away: {other:?}"),
    }
}

/// A table and a plan under which the lowest node does not keep the promise.
fn example(protocol: Protocol, split: Split) -> (JointTable, Plan) {
    let table = JointTable::example();
    let plan = table.plan(protocol, split, 4.min(if split == Split::Vertical { 3 } else { 4 }));
    (table, plan)
}

#[test]
fn a_lazy_master_is_stopped_by_every_honest_party_alone() {
    for split in [Split::Horizontal, Split::Vertical] {
        let (table, plan) = example(Protocol::A, split);
        for honest in 1..plan.primaries() {
            let (by, error) = with_forger(&plan, &table, party(0), lazy, party(honest));
            assert_eq!(by, party(honest));
            let text = error.to_string();
            assert!(matches!(error, ProtocolError::Untrue { by: PartyId(0), .. }), "{text}");
            assert!(
                text.starts_with("party 1 made a release") && text.contains("a class of 1 rows"),
                "{text}"
            );
            assert!(text.contains("nothing of it was decrypted"), "{text}");
        }
    }
}

#[test]
fn a_master_that_invents_or_hides_rows_is_stopped_by_every_honest_party_alone() {
    for forgery in [more_rows_than_there_are as Forgery, silent_about_what_is_left_out] {
        for split in [Split::Horizontal, Split::Vertical] {
            let (table, plan) = example(Protocol::A, split);
            for honest in 1..plan.primaries() {
                let (by, error) = with_forger(&plan, &table, party(0), forgery, party(honest));
                assert_eq!(by, party(honest));
                assert!(error.to_string().contains("the parties brought 8"), "{split:?}: {error}");
            }
        }
    }
}

#[test]
fn raw_cells_under_the_name_of_labels_cannot_be_opened_with_one_honest_party() {
    // On a ring every party takes off the layer of the level that was said: what is of another level stays sealed for ever.
    let (table, plan) = example(Protocol::A, Split::Horizontal);
    for honest in 1..plan.primaries() {
        let (_, error) = with_forger(&plan, &table, party(0), raw_cells_in_disguise, party(honest));
        let ProtocolError::Undecoded { by: PartyId(0), labels, .. } = &error else { panic!("{error}") };
        assert!(*labels > 0 && error.to_string().contains("not of the levels it says"), "{error}");
    }
    let (table, plan) = example(Protocol::B, Split::Horizontal);
    let (by, error) = with_forger(&plan, &table, party(4), raw_cells_in_disguise, party(0));
    assert_eq!(by, party(0));
    assert!(matches!(error, ProtocolError::Undecoded { by: PartyId(4), .. }), "{error}");
}

#[test]
fn a_lazy_helper_is_stopped_by_whoever_has_keys() {
    let (table, plan) = example(Protocol::B, Split::Horizontal);
    for plan in [plan, hybrid(&table)] {
        let helper = plan.helper().unwrap();
        let (by, error) = with_forger(&plan, &table, helper, lazy, party(0));
        assert_eq!(by, party(0));
        assert!(matches!(error, ProtocolError::Untrue { by, .. } if by == helper), "{error}");
    }
    let (table, plan) = example(Protocol::B, Split::Vertical);
    let plan = private(plan);
    for honest in 0..3 {
        let (by, error) = with_forger(&plan, &table, party(3), lazy, party(honest));
        assert_eq!(by, party(honest));
        assert!(matches!(error, ProtocolError::Untrue { by: PartyId(3), .. }), "{error}");
    }
}

/// Moves one row into another class.
fn moved(_: &Plan, _: &EncryptedPart, mut found: SealedRelease) -> SealedRelease {
    let column = found.columns.iter_mut().find(|column| column.sealed.len() > 1).unwrap();
    column.cells[0] = (column.cells[0] + 1) % column.sealed.len() as u32;
    found
}

#[test]
fn a_helper_that_counts_in_the_dark_is_counted_after() {
    let mut all = 0;
    for (split, column_keys) in [
        (Split::Horizontal, ColumnKeys::Common),
        (Split::Vertical, ColumnKeys::Common),
        (Split::Vertical, ColumnKeys::Private),
    ] {
        let stopped = stopped_by_the_first_party(split, column_keys);
        assert!(stopped > 0, "{split:?} {column_keys:?}");
        all += stopped;
    }
    assert!(all > 5, "{all}");
}

/// How many of twenty releases with a moved row the first party of protocol C does not open; the others keep the promise all the same.
fn stopped_by_the_first_party(split: Split, column_keys: ColumnKeys) -> usize {
    let mut runner = TestRunner::deterministic();
    let mut stopped = 0;
    for _ in 0..20 {
        let joint = table(12..20).new_tree(&mut runner).unwrap().current();
        let plan = Plan { column_keys, ..joint.plan(COPIES, split, 3) };
        let found = integrate_and_anonymize(&joint, &plan).unwrap();
        if found.is_none_or(|central| central.release.columns.iter().all(|column| column.labels.len() < 2)) {
            continue;
        }
        let conduct =
            |party| Conduct { forges: (party == PartyId(3)).then_some(moved), ..Conduct::default() };
        match Simulation::seeded(7).with_conduct(conduct).run(&plan, joint.deal(&plan)) {
            Err(SimulationError::Party { party: PartyId(0), source }) => {
                assert!(matches!(*source, ProtocolError::Untrue { by: PartyId(3), .. }), "{source}");
                stopped += 1;
            }
            // The row may have come into a class that is large enough, from one that still is.
            Ok(run) => {
                let classes = run.release.unwrap().classes(&plan.quasi_identifiers());
                assert!(classes.values().all(|rows| rows.len() >= 2));
            }
            Err(other) => panic!("{other}"),
        }
    }
    stopped
}

/// Says other levels than the labels have.
fn other_levels(plan: &Plan, _: &EncryptedPart, found: SealedRelease) -> SealedRelease {
    SealedRelease { facts: Facts { node: lowest(plan), ..found.facts }, ..found }
}

#[test]
fn levels_that_a_counting_helper_says_wrongly_open_nothing() {
    let table = JointTable::example();
    for shape in [COPIES, FLAT] {
        let columns = table.plan(shape, Split::Vertical, 3);
        for plan in [table.plan(shape, Split::Horizontal, 3), columns.clone(), private(columns)] {
            let (by, error) = with_forger(&plan, &table, party(3), other_levels, party(0));
            let untrue = matches!(error, ProtocolError::Undecoded { by: PartyId(3), .. });
            assert!(untrue, "{:?} {:?} {by}: {error}", plan.split, plan.column_keys);
        }
    }
}

/// Keeps class sizes and forgets about the sensitive column.
#[test]
fn a_master_that_looks_at_class_sizes_only_is_stopped() {
    let mut runner = TestRunner::deterministic();
    let mut stopped = 0;
    for _ in 0..30 {
        let joint = table(8..20).new_tree(&mut runner).unwrap().current();
        let column = sensitive(&joint);
        let criteria = [
            Criterion::DistinctLDiversity { column, l: 2 },
            Criterion::TCloseness {
                column,
                t: paravent_core::exact::Fraction::new(2, 10).unwrap(),
                distance: crate::Closeness::Equal,
            },
        ];
        for criterion in criteria {
            let mut plan = joint.plan(Protocol::A, Split::Horizontal, 3);
            plan.criteria = vec![Criterion::KAnonymity { k: 1 }, criterion];
            let forgery: Forgery = |plan, table, found| {
                let release = lazy(plan, table, found.clone());
                let columns = release.columns.into_iter().zip(found.columns);
                // What proves closeness belongs to the release as found.
                let columns = columns.map(|(lazy, found)| crate::wire::SealedColumn {
                    reference: found.reference.filter(|known| known.shown.len() == lazy.sealed.len()),
                    ..lazy
                });
                SealedRelease { columns: columns.collect(), ..release }
            };
            let honest = integrate_and_anonymize(&joint, &plan).unwrap();
            // Where the lowest node keeps the promise, to be lazy is to be right.
            if honest.is_none_or(|central| central.release.facts.node.iter().all(|&level| level == 0)) {
                continue;
            }
            let (by, error) = with_forger(&plan, &joint, party(0), forgery, party(1));
            assert_eq!(by, party(1));
            let text = error.to_string();
            assert!(text.contains("does not hold"), "{text}");
            stopped += 1;
        }
    }
    assert!(stopped > 5, "{stopped}");
}
