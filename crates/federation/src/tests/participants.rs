//! Classes that stand up to a participant.

use super::random::table;
use super::*;
use crate::Participants;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn curious(table: &JointTable, protocol: Protocol, parties: u16) -> Plan {
    let mut plan = table.plan(protocol, Split::Horizontal, parties);
    plan.participants = Participants::Curious;
    plan
}

/// Rows of the smallest class after the party with the most rows in it has taken its own away, counted in the plain table.
fn smallest_remainder(table: &JointTable, plan: &Plan, node: &[u8]) -> u64 {
    let mut owners = Vec::new();
    for (number, part) in table.deal(plan).iter().enumerate() {
        owners.extend(vec![number; part.rows]);
    }
    let mut classes: BTreeMap<Vec<u32>, BTreeMap<usize, u64>> = BTreeMap::new();
    for (row, owner) in owners.into_iter().enumerate() {
        let quasi = plan.quasi_identifiers();
        let key = quasi.iter().zip(node).map(|(&column, &level)| {
            let data = &table.columns[usize::from(column)].data;
            data.ladder.as_ref().unwrap().rung(level).group_of[data.rows[row] as usize]
        });
        *classes.entry(key.collect()).or_default().entry(owner).or_insert(0) += 1;
    }
    let remainder =
        |class: &BTreeMap<usize, u64>| class.values().sum::<u64>() - class.values().max().unwrap();
    classes.values().map(remainder).min().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn k_rows_are_left_without_any_one_party(table in table(8..24), parties in 2u16..5, counted in any::<bool>()) {
        let plan = curious(&table, if counted { COPIES } else { Protocol::B }, parties);
        let run = run(&plan, &table);
        assert_equals_central(&plan, &table, &run);
        if let Some(release) = &run.release {
            prop_assert!(smallest_remainder(&table, &plan, &release.facts.node) >= 2);
        }
    }
}

#[test]
fn the_example_needs_more_generalization_against_its_own_parties() {
    let table = JointTable::example();
    let trusted = table.plan(Protocol::B, Split::Horizontal, 3);
    let node = run(&trusted, &table).release.unwrap().facts.node;
    assert_eq!(smallest_remainder(&table, &trusted, &node), 0);
    let plan = curious(&table, Protocol::B, 3);
    let guarded = run(&plan, &table).release.unwrap().facts;
    assert!(smallest_remainder(&table, &plan, &guarded.node) >= 2);
    assert!(guarded.loss > 28.0);
}
