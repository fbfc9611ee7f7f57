//! Tuples read back in pieces against tuples in memory.

use super::*;
use crate::table::{FrequencyTable, Histograms, SensitiveColumn, TupleSource, TupleSourceError};
use std::ops::ControlFlow;

/// A table that comes in pieces of so many tuples, and leaves so little room for classes.
#[derive(Debug)]
struct Pieces<'a> {
    table: &'a FrequencyTable,
    tuples: usize,
    class_bytes: usize,
}

impl TupleSource for Pieces<'_> {
    fn tuple_count(&self) -> usize {
        self.table.tuple_count()
    }

    fn row_count(&self) -> u64 {
        self.table.row_count()
    }

    fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64> {
        self.table.value_counts(quasi_identifier, cardinality)
    }

    fn pieces(
        &self,
        visit: &mut dyn FnMut(&FrequencyTable) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        let table = self.table;
        for start in (0..table.tuple_count()).step_by(self.tuples) {
            let range = start..(start + self.tuples).min(table.tuple_count());
            let columns = (0..table.column_count())
                .map(|at| range.clone().map(|tuple| table.column(at).get(tuple)).collect::<Vec<u32>>());
            let sensitive = table.sensitive().iter().map(|column| {
                let mut histograms = Histograms::new();
                for tuple in range.clone() {
                    let (values, counts) = column.histograms.entry(tuple);
                    histograms.push(values.iter().copied().zip(counts.iter().copied()));
                }
                SensitiveColumn { cardinality: column.cardinality, histograms }
            });
            let population = table.population().map(|people| people[range.clone()].to_vec());
            let rows = table.rows()[range.clone()].to_vec();
            let piece = FrequencyTable::piece(columns.collect(), rows, population, sensitive.collect());
            if visit(&piece).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn class_bytes(&self) -> usize {
        self.class_bytes
    }
}

fn checker<'a>(
    fixture: &'a Fixture,
    table: &'a dyn TupleSource,
    criteria: &'a crate::criteria::Criteria,
    limit: u64,
    history_bytes: usize,
) -> LocalChecker<'a> {
    LocalChecker::new(SearchInput {
        table,
        ladders: &fixture.ladders,
        weights: &fixture.weights,
        balance: crate::quality::Balance::EVEN,
        criteria,
        metric: Metric::NonUniformEntropy,
        suppression_limit: limit,
        history_bytes,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn pieces_and_parts_change_no_verdict(
        fixture in small_table(),
        wishes in wishes(),
        limit in 0u64..6,
        tuples in 1usize..9,
        class_bytes in prop_oneof![Just(1usize), 200usize..2000, Just(usize::MAX)],
        history_bytes in prop_oneof![Just(0usize), Just(1 << 20)],
    ) {
        let table = Pieces { table: &fixture.table, tuples, class_bytes };
        let limit = limit.min(fixture.table.row_count() - 1);
        let criteria = criteria(&wishes, &fixture.table, limit);
        let held = fixture.checker(&criteria, Metric::NonUniformEntropy, limit);
        let streamed = checker(&fixture, &table, &criteria, limit, history_bytes);
        let lattice = fixture.lattice();
        for index in 0..lattice.enumerable(u64::MAX).unwrap() {
            let node = lattice.node(index);
            let (expected, found) = (held.check(&node, Depth::Full).unwrap(), streamed.check(&node, Depth::Full).unwrap());
            prop_assert_eq!(found.holds, expected.holds);
            prop_assert_eq!(found.monotone_part_holds, expected.monotone_part_holds);
            prop_assert_eq!(found.refuted.is_some(), expected.refuted.is_some());
            prop_assert_eq!(streamed.check(&node, Depth::UntilRefuted).unwrap().refuted.is_some(), expected.refuted.is_some());
            if expected.holds {
                prop_assert_eq!(found, expected);
            }
            let (expected, found) = (Solution::at(&held, &node).unwrap(), Solution::at(&streamed, &node).unwrap());
            prop_assert_eq!((found.suppressed_rows, found.holds), (expected.suppressed_rows, expected.holds));
            prop_assert_eq!(&found.class_sizes, &expected.class_sizes);
            prop_assert_eq!(format!("{:?}", found.achieved), format!("{:?}", expected.achieved));
            prop_assert_eq!(format!("{:?}", found.losses), format!("{:?}", expected.losses));
            for tuple in (0..fixture.table.tuple_count()).filter(|&tuple| fixture.table.rows()[tuple] > 0) {
                let codes: Vec<u32> = (0..fixture.ladders.len()).map(|at| fixture.table.column(at).get(tuple)).collect();
                prop_assert_eq!(found.fates.of(tuple, &codes), expected.fates.of(tuple, &codes));
            }
        }
    }

    #[test]
    fn pieces_and_parts_change_no_optimum(
        fixture in wide_table(),
        wishes in wishes(),
        limit in 0u64..6,
        class_bytes in prop_oneof![Just(1usize), 200usize..2000],
        threads in 1usize..3,
    ) {
        let table = Pieces { table: &fixture.table, tuples: 4, class_bytes };
        let limit = limit.min(fixture.table.row_count() - 1);
        let criteria = criteria(&wishes, &fixture.table, limit);
        let (lattice, order) = (fixture.lattice(), fixture.order());
        let held = fixture.checker(&criteria, Metric::NonUniformEntropy, limit);
        let streamed = checker(&fixture, &table, &criteria, limit, 1 << 12);
        let expected = run(&problem(&lattice, &order, &held), Algorithm::Exhaustive).unwrap();
        let problem = Problem { threads, ..problem(&lattice, &order, &streamed) };
        let found = run(&problem, Algorithm::BestFirst).unwrap();
        prop_assert!(found.optimal);
        prop_assert_eq!(found.best.map(|best| best.node), expected.best.map(|best| best.node));
    }
}
