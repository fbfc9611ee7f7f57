//! Roll-up against the table, and both against counting row by row.

use super::Grouper;
use crate::lattice::Node;
use crate::testing::{patients, small_table};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Classes as a sorted map: group codes → (rows, population rows, sensitive counts).
type Plain = BTreeMap<Vec<u32>, (u64, u64, Vec<u32>)>;

fn plain(grouper: &Grouper<'_>, node: &Node, from_table: bool) -> Plain {
    let classes =
        if from_table { grouper.group_table(node).map(Into::into) } else { grouper.group(node) }.unwrap();
    let mut plain = Plain::new();
    classes.visit(0, |number, class| {
        let codes = (0..node.levels().len()).map(|column| classes.code(column, number)).collect();
        let counts = class.distributions.first().map_or(Vec::new(), |d| d.dense.to_vec());
        assert!(plain.insert(codes, (class.rows, class.population, counts)).is_none());
    });
    plain
}

#[test]
fn the_two_anonymous_node_has_four_classes_of_two() {
    let fixture = patients();
    let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0);
    let classes = grouper.group(&Node::new([1, 0, 3])).unwrap();
    assert_eq!((classes.len(), classes.rows(0)), (4, 2));
    assert_eq!(grouper.stats().rollups, 0);
}

proptest! {
    #[test]
    fn rolled_up_classes_equal_those_of_the_table(fixture in small_table(), picks in prop::collection::vec(any::<u64>(), 8)) {
        let lattice = fixture.lattice();
        let grouper = Grouper::new(&fixture.table, &fixture.ladders, 1 << 20);
        for pick in picks {
            let node = lattice.node(pick % lattice.enumerable(u64::MAX).unwrap());
            prop_assert_eq!(plain(&grouper, &node, false), plain(&grouper, &node, true));
        }
    }

    #[test]
    fn classes_are_what_counting_tuple_by_tuple_gives(fixture in small_table(), pick: u64) {
        let lattice = fixture.lattice();
        let node = lattice.node(pick % lattice.enumerable(u64::MAX).unwrap());
        let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0);
        let mut naive = Plain::new();
        let table = &fixture.table;
        for tuple in 0..table.tuple_count() {
            let codes = fixture.ladders.iter().zip(node.levels()).enumerate().map(|(column, (ladder, &level))| {
                ladder.rung(level).group_of[table.column(column).get(tuple) as usize]
            });
            let entry = naive.entry(codes.collect()).or_insert((0, 0, vec![0; 4]));
            entry.0 += u64::from(table.rows()[tuple]);
            entry.1 += u64::from(table.population().unwrap()[tuple]);
            let (values, counts) = table.sensitive()[0].histograms.entry(tuple);
            values.iter().zip(counts).for_each(|(&value, &count)| entry.2[value as usize] += count);
        }
        prop_assert_eq!(plain(&grouper, &node, false), naive);
    }
}
