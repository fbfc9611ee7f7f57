//! What cannot be done is refused before any data moves.

use super::*;
use crate::{Closeness, Criterion, Participants, Role};
use paravent_core::exact::Fraction;
use paravent_core::quality::Metric;

fn refused(change: impl FnOnce(&mut Plan), protocol: Protocol, split: Split, parties: u16) -> String {
    let table = JointTable::example();
    let mut plan = table.plan(protocol, split, parties);
    change(&mut plan);
    let mut messages = 0;
    let outcome = Simulation::seeded(1).tapped(|_| messages += 1).run(&plan, table.deal(&plan));
    let error = outcome.unwrap_err().to_string();
    assert_eq!(messages, 0, "{error}");
    error
}

#[test]
fn two_parties_on_a_ring_need_a_third_for_rows() {
    let error = refused(|_| {}, Protocol::A, Split::Horizontal, 2);
    assert!(error.contains("unmixed") && error.contains("without data first"), "{error}");
    // A third party without data does not help unless it is the master.
    let last = |plan: &mut Plan| plan.members.push(Member { name: "third".into(), holds: Holds::Nothing });
    assert!(refused(last, Protocol::A, Split::Horizontal, 2).contains("unmixed"));
}

#[test]
fn what_needs_values_is_refused_everywhere() {
    let half = Fraction::new(1, 2).unwrap();
    let illness = |plan: &mut Plan| plan.columns[0].role = Role::Sensitive { height: 1 };
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        let ordered = |plan: &mut Plan| {
            illness(plan);
            plan.criteria.push(Criterion::TCloseness { column: 0, t: half, distance: Closeness::Ordered });
        };
        assert!(refused(ordered, protocol, Split::Horizontal, 3).contains("order of the values"));
        let named = |plan: &mut Plan| {
            plan.criteria.push(Criterion::OnValues { model: "pd-recursive-l-diversity".into() })
        };
        assert!(refused(named, protocol, Split::Horizontal, 3).contains("names or computes with values"));
        let absent = |plan: &mut Plan| plan.criteria.push(Criterion::KMap { k: 2 });
        assert!(refused(absent, protocol, Split::Horizontal, 3).contains("membership column"));
    }
}

#[test]
fn what_counters_cannot_tell_is_refused() {
    let half = Fraction::new(1, 2).unwrap();
    let together = |plan: &mut Plan| {
        plan.columns[0].role = Role::Sensitive { height: 1 };
        let diversity = paravent_core::criteria::Diversity::Distinct { l: 2 };
        plan.criteria.push(Criterion::MultiAttributeLDiversity { columns: vec![0], diversity });
    };
    let error = refused(together, COPIES, Split::Horizontal, 3);
    assert!(error.contains("protocol C") && error.contains("go together"), "{error}");
    // Among copies of rows to release, a row that counts nothing stands out.
    let present = |plan: &mut Plan| {
        plan.columns[0].role = Role::Membership;
        plan.criteria.push(Criterion::KMap { k: 2 });
    };
    let error = refused(present, COPIES, Split::Horizontal, 3);
    assert!(error.contains("must be of the population") && error.contains("flat or blocks"), "{error}");
    let charged = |plan: &mut Plan| {
        plan.metric = Metric::Loss;
        plan.suppression_limit = half;
    };
    assert!(refused(charged, COPIES, Split::Vertical, 3).contains("suppression limit of 0"));
}

#[test]
fn participants_can_be_guarded_against_only_where_origins_are_known() {
    let curious = |plan: &mut Plan| plan.participants = Participants::Curious;
    assert!(refused(curious, Protocol::A, Split::Horizontal, 3).contains("whose row a row is"));
    assert!(refused(curious, Protocol::B, Split::Vertical, 3).contains("part of every row"));
}

#[test]
fn plans_that_make_no_sense_are_refused() {
    assert!(refused(|_| {}, Protocol::B, Split::Horizontal, 1).contains("hold data"));
    let keys = |plan: &mut Plan| plan.column_keys = ColumnKeys::Private;
    assert!(refused(keys, Protocol::B, Split::Horizontal, 3).contains("encrypt equal cells alike"));
    let owner = |plan: &mut Plan| plan.columns[0].owner = party(7);
    assert!(refused(owner, Protocol::B, Split::Vertical, 3).contains("owner"));
    let nothing = |plan: &mut Plan| plan.criteria.clear();
    assert!(refused(nothing, Protocol::B, Split::Vertical, 3).contains("nothing is promised"));
    let names = |plan: &mut Plan| plan.columns[1].name = plan.columns[0].name.clone();
    assert!(refused(names, Protocol::B, Split::Vertical, 3).contains("same name"));
}

#[test]
fn a_hybrid_split_is_for_the_helper_of_protocol_b() {
    let shared = |plan: &mut Plan| plan.columns[0].sharers = vec![party(1)];
    for protocol in [Protocol::A, COPIES] {
        let error = refused(shared, protocol, Split::Vertical, 3);
        assert!(error.contains("hybrid split") && error.contains("Use protocol B"), "{error}");
    }
    let private = |plan: &mut Plan| {
        shared(plan);
        plan.column_keys = ColumnKeys::Private;
    };
    assert!(refused(private, Protocol::B, Split::Vertical, 3).contains("encrypt equal cells alike"));
    let twice = |plan: &mut Plan| plan.columns[0].sharers = vec![party(0)];
    assert!(refused(twice, Protocol::B, Split::Vertical, 3).contains("held twice"));
}

#[test]
fn data_that_do_not_fit_the_plan_are_refused() {
    let table = JointTable::example();
    let plan = table.plan(Protocol::B, Split::Vertical, 3);
    let run = |change: &dyn Fn(&mut Vec<crate::PartyTable>)| {
        let mut parts = table.deal(&plan);
        change(&mut parts);
        Simulation::seeded(1).run(&plan, parts).unwrap_err().to_string()
    };
    assert!(run(&|parts| parts[0].identifiers[1] = parts[0].identifiers[0].clone()).contains("same one"));
    assert!(run(&|parts| parts[0].columns[0].rows[0] = 99).contains("code without a cell"));
    assert!(run(&|parts| parts[1].columns.clear()).contains("0 columns"));
    assert!(run(&|parts| parts[1].columns[0].ladder = None).contains("not as high"));
    assert!(run(&|parts| drop(parts.pop())).contains("2 tables for 3"));
}
