//! Working alone is never better.

use super::random::table;
use super::*;
use crate::baselines::{anonymize_and_integrate, keeping_the_first_classes};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn one_after_the_other_is_never_better_than_together(table in table(4..20), parties in 2u16..4) {
        let plan = table.plan(Protocol::B, Split::Vertical, parties);
        let naive = anonymize_and_integrate(&table, &plan).unwrap();
        if let Some(central) = integrate_and_anonymize(&table, &plan).unwrap()
            && let Some(bits) = naive.hidden_bits
        {
            prop_assert!(bits >= central.hidden_bits - 1e-9);
        }
    }

    #[test]
    fn who_keeps_the_classes_of_the_first_loses_most(table in table(4..20), parties in 2u16..4) {
        let plan = table.plan(Protocol::B, Split::Vertical, parties);
        if let Some(kept) = keeping_the_first_classes(&table, &plan).unwrap() {
            let bits = kept.hidden_bits.unwrap();
            if let Some(central) = integrate_and_anonymize(&table, &plan).unwrap() {
                prop_assert!(bits >= central.hidden_bits - 1e-9);
            }
            // With two parties, classes that are kept keep the promise: who may split them can only do better.
            if let (2, Some(turn)) = (parties, anonymize_and_integrate(&table, &plan).unwrap().hidden_bits) {
                prop_assert!(bits >= turn - 1e-9);
            }
            // The slow way: rows that are one class to the first party are one class in the end.
            let labels = |row: usize, first: bool| -> Vec<u32> {
                let columns = plan.quasi_identifiers().into_iter().map(usize::from);
                let mut levels: Vec<std::vec::IntoIter<u8>> =
                    kept.nodes.iter().map(|node| node.clone().unwrap().into_iter()).collect();
                let labels = columns.map(|column| {
                    let owner = plan.columns[column].owner.0;
                    let level = levels[usize::from(owner)].next().unwrap();
                    let data = &table.columns[column].data;
                    let group = data.ladder.as_ref().unwrap().rung(level).group_of[data.rows[row] as usize];
                    (owner, group)
                });
                labels.filter(|(owner, _)| !first || *owner == 0).map(|(_, group)| group).collect()
            };
            for a in 0..table.rows {
                for b in 0..a {
                    prop_assert_eq!(labels(a, true) == labels(b, true), labels(a, false) == labels(b, false));
                }
            }
        }
    }

    #[test]
    fn rows_alone_under_one_node_hide_what_the_node_hides(table in table(4..20)) {
        // Two parties whose halves are alike choose alike; then both counts of bits agree.
        let mut twice = table.clone();
        for column in &mut twice.columns {
            let rows = column.data.rows.clone();
            column.data.rows.extend(rows);
        }
        twice.rows *= 2;
        let plan = twice.plan(Protocol::B, Split::Horizontal, 2);
        let naive = anonymize_and_integrate(&twice, &plan).unwrap();
        if let (Some(bits), [Some(first), Some(second)]) = (naive.hidden_bits, &naive.nodes[..]) {
            prop_assert_eq!(first, second);
            let alone = integrate_and_anonymize(&table, &plan).unwrap().unwrap();
            prop_assert!((bits - 2.0 * alone.hidden_bits).abs() < 1e-9);
        }
    }
}
