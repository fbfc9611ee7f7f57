//! Working alone is never better.

use super::random::table;
use super::*;
use crate::baselines::anonymize_and_integrate;
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
