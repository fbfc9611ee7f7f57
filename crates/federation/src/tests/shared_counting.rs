//! Protocol C: the primary parties share the reading of counters, and nobody reads more than its share.

use super::transcript::some_table;
use super::*;
use crate::protocols::Conduct;
use crate::wire::{Frame, Message, ShareSums};
use crate::{Criterion, Recorded, Role};
use paravent_core::exact::Fraction;
use std::collections::BTreeMap;

/// A plan with suppression, so that all questions are asked.
fn plan(table: &JointTable, split: Split, parties: u16) -> Plan {
    let mut plan = table.plan(BLOCKS, split, parties);
    plan.suppression_limit = Fraction::new(1, 4).unwrap();
    plan
}

#[test]
fn every_party_counts_its_share_and_together_all_rows() {
    let table = some_table();
    for split in [Split::Horizontal, Split::Vertical] {
        for parties in 2..=3 {
            let plan = plan(&table, split, parties);
            // By node: classes of each party's share, and rows that the others tell the first.
            let mut classes: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
            let mut told: Vec<ShareSums> = Vec::new();
            let tap = |message: &Recorded| match Frame::decode(&message.bytes, 1 << 30).unwrap().message {
                Message::Check(check) => classes.entry(check.node).or_default().push(check.classes.len()),
                Message::Sums(sums) => {
                    assert_eq!(message.to, party(0));
                    told.push(sums);
                }
                _ => {}
            };
            let run = Simulation::seeded(4).tapped(tap).run(&plan, table.deal(&plan)).unwrap();
            assert_equals_central(&plan, &table, &run);
            assert!(!classes.is_empty());
            for shares in classes.values() {
                assert_eq!(shares.len(), usize::from(parties));
                let (most, least) = (shares.iter().max().unwrap(), shares.iter().min().unwrap());
                assert!(most - least <= 1, "{shares:?}");
            }
            assert_eq!(told.len(), classes.len() * (usize::from(parties) - 1));
            assert!(told.iter().all(|sums| sums.rows <= 16));
        }
    }
}

/// By party: rows of its part and counters in it.
fn counters_sent(plan: &Plan, table: &JointTable) -> (Vec<(usize, usize)>, Run) {
    let mut sent = Vec::new();
    let tap = |message: &Recorded| {
        if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
            sent.push((part.rows as usize, part.counters.0.len()));
        }
    };
    let run = Simulation::seeded(4).tapped(tap).run(plan, table.deal(plan)).unwrap();
    (sent, run)
}

#[test]
fn columns_or_rows_a_party_encrypts_its_share_of_the_counters() {
    let table = some_table();
    for parties in 2..=3u16 {
        let mut plan = table.plan(FLAT, Split::Vertical, parties);
        if let Protocol::C(pseudo) = &mut plan.protocol {
            pseudo.percent = 1000;
        }
        let (sent, run) = counters_sent(&plan, &table);
        assert_equals_central(&plan, &table, &run);
        let rows = 16 * 11;
        assert!(sent.iter().all(|(seen, _)| *seen == rows), "{sent:?}");
        assert_eq!(sent.iter().map(|(_, counters)| counters).sum::<usize>(), rows, "everybody once");
        let fair = rows / usize::from(parties);
        assert!(sent.iter().all(|(_, counters)| counters.abs_diff(fair) < fair / 2), "{sent:?}");
    }
}

#[test]
fn counters_of_persons_who_fall_to_another_party_are_refused() {
    let table = some_table();
    let plan = table.plan(FLAT, Split::Vertical, 3);
    let wrong: [fn(&mut Vec<[u8; 64]>); 2] = [
        |counters| counters.truncate(1),
        |counters| {
            let more = counters[0];
            counters.push(more);
        },
    ];
    for change in wrong {
        let network = |message: &Recorded| {
            let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
            if let (Message::Part(part), 1) = (&mut frame.message, message.from.0) {
                change(&mut part.counters.0);
            }
            vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
        };
        let error = Simulation::seeded(2).over(network).run(&plan, table.deal(&plan)).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains("what party 2 sent") && told.contains("counters missing or too many"),
            "{told}"
        );
    }
}

#[test]
fn what_is_told_is_admitted() {
    let table = some_table();
    let admitted = crate::leaks::LeakTable::of(&plan(&table, Split::Horizontal, 3));
    let sends = |from: &str, to: &str, what: &str| {
        admitted.sends.iter().any(|sends| sends.from == from && sends.to == to && sends.what.contains(what))
    };
    assert!(sends("the helper", "every primary party", "its share of the classes"));
    assert!(sends("every primary party", "the first party", "sums over its share"));
    assert!(sends("every primary party", "the helper", "which classes of its share"));
    assert!(!sends("the first party", "everybody", "key"));
    assert!(admitted.leaks.iter().any(|leak| leak.what.contains("all counters")));
}

/// A table whose last column is sensitive.
fn with_secrets() -> (JointTable, u16) {
    let mut table = some_table();
    let last = table.columns.len() - 1;
    table.columns[last].role = Role::Sensitive { height: 0 };
    table.columns[last].data.ladder = None;
    table.columns[last].hierarchy = None;
    (table, last as u16)
}

#[test]
fn parties_that_whitewash_their_shares_gain_no_release() {
    let (table, column) = with_secrets();
    let mut caught = 0;
    for l in 2..=3 {
        let mut plan = table.plan(COPIES, Split::Horizontal, 3);
        plan.criteria.push(Criterion::DistinctLDiversity { column, l });
        let honest = run(&plan, &table).release.map(|release| release.facts.node);
        let conduct = |id: PartyId| Conduct { whitewashes: id.0 > 0, ..Conduct::default() };
        for seed in 0..8 {
            match Simulation::seeded(seed).with_conduct(conduct).run(&plan, table.deal(&plan)) {
                // Every class that fails was in the share of the first party.
                Ok(run) => assert_eq!(run.release.map(|release| release.facts.node), honest),
                Err(error) => {
                    caught += 1;
                    assert!(error.to_string().contains("not what was agreed"), "{error}");
                }
            }
        }
    }
    assert!(caught > 0);
}

#[test]
fn sums_that_cannot_be_are_refused_and_name_their_sender() {
    let table = JointTable::example();
    let plan = plan(&table, Split::Horizontal, 3);
    let wrong: [fn(&mut ShareSums); 4] = [
        |sums| sums.rows = u64::MAX,
        |sums| sums.left_out = sums.rows + 1,
        |sums| sums.failing = sums.left_out + 1,
        |sums| sums.kept_squares = sums.all_squares + 1,
    ];
    for change in wrong {
        let network = |message: &Recorded| {
            let mut frame = Frame::decode(&message.bytes, 1 << 30).unwrap();
            if let (Message::Sums(sums), 2) = (&mut frame.message, message.from.0) {
                change(sums);
            }
            vec![Recorded { bytes: Frame::encode(&frame.header, &frame.message), ..message.clone() }]
        };
        let error = Simulation::seeded(2).over(network).run(&plan, table.deal(&plan)).unwrap_err();
        assert!(error.to_string().contains("what party 3 sent"), "{error}");
    }
}

#[test]
fn diversity_is_counted_in_shares_too() {
    let (table, column) = with_secrets();
    for split in [Split::Horizontal, Split::Vertical] {
        let mut plan = plan(&table, split, 2);
        plan.criteria.push(Criterion::DistinctLDiversity { column, l: 2 });
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}
