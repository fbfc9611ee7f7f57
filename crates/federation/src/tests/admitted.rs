//! What is sent is what is admitted: every message has a line in the table of who sends what to whom, and every line a message.

use super::random::{marked, sensitive};
use super::transcript::{all_plans, some_table};
use super::*;
use crate::leaks::{LeakTable, Sends};
use crate::wire::MessageKind;
use crate::{Closeness, Criterion, Recorded, Role, SamePerson};
use paravent_core::exact::Fraction;
use std::collections::BTreeSet;

/// From whom, to whom, of which kind.
type Way = (PartyId, PartyId, MessageKind);

fn sent(plan: &Plan, table: &JointTable) -> BTreeSet<Way> {
    let mut ways = BTreeSet::new();
    let tap = |message: &Recorded| {
        ways.insert((message.from, message.to, message.kind));
    };
    Simulation::seeded(4).tapped(tap).run(plan, table.deal(plan)).unwrap();
    ways
}

/// Whether the table means this party by a role; `from` is who sends.
fn is_meant(plan: &Plan, role: &str, who: PartyId, from: PartyId) -> bool {
    let n = plan.primaries();
    let is_primary = who.0 < n;
    match role {
        "every primary party" => is_primary,
        "the other primary parties" => is_primary && who != from,
        "the first party" => who.0 == 0,
        "the helper" => Some(who) == plan.helper(),
        "its right neighbour" => is_primary && who.0 == (from.0 + 1) % n,
        "its left neighbour" => is_primary && from.0 == (who.0 + 1) % n,
        "the party that marks the rows" => {
            let marks = plan.columns.iter().find(|column| column.role == Role::Membership);
            marks.is_some_and(|column| column.is_held_by(who))
        }
        other => panic!("nobody knows who {other} is"),
    }
}

fn covers(plan: &Plan, line: &Sends, &(from, to, kind): &Way) -> bool {
    line.carried_by.contains(&kind)
        && is_meant(plan, line.from, from, from)
        && is_meant(plan, line.to, to, from)
}

/// Messages that no line admits.
fn not_admitted(plan: &Plan, lines: &[Sends], ways: &BTreeSet<Way>) -> Vec<Way> {
    ways.iter().filter(|way| !lines.iter().any(|line| covers(plan, line, way))).copied().collect()
}

/// Lines, with the kinds of message, that no message bears out.
fn not_sent<'l>(plan: &Plan, lines: &'l [Sends], ways: &BTreeSet<Way>) -> Vec<(&'l str, MessageKind)> {
    let kinds = lines.iter().flat_map(|line| line.carried_by.iter().map(move |&kind| (line, kind)));
    let idle = kinds.filter(|(line, kind)| !ways.iter().any(|way| way.2 == *kind && covers(plan, line, way)));
    idle.map(|(line, kind)| (line.what, kind)).collect()
}

/// Those of the transcripts, and what else has messages of its own: counted people, distributions, marks.
fn plans() -> Vec<(JointTable, Plan)> {
    let plain = some_table();
    let bits = [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1];
    let population = marked(some_table(), &bits);
    let mut plans: Vec<(JointTable, Plan)> =
        all_plans(&plain).into_iter().map(|plan| (plain.clone(), plan)).collect();
    for protocol in [Protocol::A, Protocol::B, COPIES, BLOCKS, FLAT] {
        let mut people = plain.plan(protocol, Split::Horizontal, 3);
        people.same_person = SamePerson::Refused;
        plans.push((plain.clone(), people));
        for split in [Split::Horizontal, Split::Vertical] {
            let mut close = plain.plan(protocol, split, 3);
            let (t, distance) = (Fraction::ONE, Closeness::Hierarchical);
            close.criteria.push(Criterion::TCloseness { column: sensitive(&plain), t, distance });
            plans.push((plain.clone(), close));
            // Made-up rows that are copies are refused there.
            if protocol != COPIES {
                let mut present = population.plan(protocol, split, 3);
                present.criteria = vec![Criterion::KMap { k: 2 }];
                plans.push((population.clone(), present));
            }
        }
    }
    plans
}

#[test]
fn every_message_is_admitted_and_everything_admitted_is_sent() {
    for (table, plan) in plans() {
        let (ways, lines) = (sent(&plan, &table), LeakTable::of(&plan).sends);
        let which = format!("{:?} {:?} {:?}", plan.protocol, plan.split, plan.criteria);
        assert_eq!(not_admitted(&plan, &lines, &ways), [], "{which}");
        assert_eq!(not_sent(&plan, &lines, &ways), [], "{which}");
    }
}

#[test]
fn a_message_without_a_line_and_a_line_without_a_message_are_noticed() {
    for (table, plan) in plans() {
        let (ways, lines) = (sent(&plan, &table), LeakTable::of(&plan).sends);
        // The second party tells the third what only the first may know.
        let mut more = ways.clone();
        more.insert((party(1), party(2), MessageKind::Sums));
        assert_eq!(not_admitted(&plan, &lines, &more), [(party(1), party(2), MessageKind::Sums)]);
        let mut fewer = lines;
        let forgotten = fewer.remove(0);
        for way in ways.iter().filter(|way| forgotten.carried_by.contains(&way.2)) {
            assert!(not_admitted(&plan, &fewer, &ways).contains(way));
        }
        fewer.push(Sends { carried_by: &[MessageKind::Fates], to: "its left neighbour", ..forgotten });
        assert_eq!(not_sent(&plan, &fewer, &ways), [("two points of the key agreement", MessageKind::Fates)]);
    }
}
