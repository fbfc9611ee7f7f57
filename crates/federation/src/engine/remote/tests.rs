//! Searches whose questions somebody answers who has the rows.

use super::super::ladder_of;
use super::*;
use paravent_core::criteria::KAnonymity;
use paravent_core::hierarchy::Ladder;
use paravent_core::search::Best;
use paravent_core::solve::NodeChecker;
use paravent_core::task::{QuasiIdentifier, SuppressionLimit, Task};
use proptest::prelude::*;
use std::sync::Arc;

/// Real rows and copies of them, by tuple.
type Tuples = std::collections::BTreeMap<(u32, u32), (u32, u32)>;

fn tuples() -> impl Strategy<Value = Tuples> {
    prop::collection::btree_map((0u32..4, 0u32..4), (1u32..5, 0u32..4), 1..12)
}

fn table(tuples: &Tuples, rows: impl Fn(&(u32, u32)) -> u32, population: Option<Vec<u32>>) -> FrequencyTable {
    let columns: Vec<Vec<u32>> =
        vec![tuples.keys().map(|tuple| tuple.0).collect(), tuples.keys().map(|tuple| tuple.1).collect()];
    FrequencyTable::new(columns, tuples.values().map(rows).collect(), population, Vec::new()).unwrap()
}

/// What whoever has the rows would search: k-anonymity of columns that share a ladder.
fn task(rows: FrequencyTable, ladder: &Ladder, k: u64, limit: u64) -> Task {
    let names = ["a", "b", "c", "d", "e"].into_iter().take(rows.column_count());
    let columns = names.map(|name| QuasiIdentifier::new(name, ladder.clone()));
    let columns = QuasiIdentifiers::new(columns).unwrap();
    let limit = SuppressionLimit::Count(limit);
    let criteria = vec![Box::new(KAnonymity { k }) as _];
    Task::new(Arc::new(rows), columns, criteria, Metric::NonUniformEntropy, limit).unwrap()
}

fn best_node(
    tuples: &Tuples,
    (k, limit): (u64, u64),
    sight: bool,
    (algorithm, bounds): (Algorithm, LossBounds),
) -> (Option<(Node, f64)>, u64, u64) {
    let ladder = ladder_of(4, &[vec![0, 0, 1, 1], vec![0; 4]], &[]).unwrap();
    let task = task(table(tuples, |rows| rows.0, None), &ladder, k, limit);
    let reader = task.checker(0);
    let visible = VisibleRows {
        table: table(tuples, |_| 1, Some(tuples.values().map(|rows| rows.0 + rows.1).collect())),
        least: if sight { k } else { 0 },
        most_left_out: task.suppression_limit(),
    };
    let problem =
        RemoteProblem { columns: task.columns().clone(), case: task.case(), algorithm, bounds, visible };
    let (best, questions, checks) = answered(problem, &reader);
    (best.map(|best| (best.node, best.loss)), questions, checks)
}

/// The best node of a search whose questions somebody answers who has the rows; how many there were, and how many are reported.
fn answered(problem: RemoteProblem, reader: &NodeChecker<'_>) -> (Option<Best>, u64, u64) {
    let (search, mut asked) = RemoteSearch::start(problem).unwrap();
    let mut nodes = std::collections::BTreeSet::new();
    loop {
        match asked {
            Asked::About(node) => {
                assert!(nodes.insert(node.clone()), "asked twice");
                let verdict = reader.check(&node).unwrap();
                let loss = verdict.holds.then_some(verdict.loss);
                let answer = Answer { monotone_part_holds: verdict.monotone_part_holds, loss };
                asked = search.answer(answer).unwrap();
            }
            Asked::Done(report) => return (report.best, nodes.len() as u64, report.checks),
        }
    }
}

proptest! {
    #[test]
    fn what_can_be_seen_need_not_be_asked(tuples in tuples(), k in 2u64..7, limit in 0u64..4) {
        let flash = || (Algorithm::Flash, LossBounds::Unknown);
        let (slow, all, _) = best_node(&tuples, (k, limit), false, flash());
        let (fast, fewer, checks) = best_node(&tuples, (k, limit), true, flash());
        prop_assert_eq!(slow, fast);
        prop_assert!(fewer <= all);
        prop_assert_eq!(fewer, checks);
    }

    #[test]
    fn asking_about_single_columns_first_changes_no_result(
        tuples in tuples(), k in 2u64..7, limit in 0u64..4, sight in any::<bool>(),
    ) {
        let (slow, ..) = best_node(&tuples, (k, limit), false, (Algorithm::Exhaustive, LossBounds::Unknown));
        let (best, questions, checks) =
            best_node(&tuples, (k, limit), sight, (Algorithm::BestFirst, LossBounds::OfColumns));
        prop_assert_eq!(slow, best);
        prop_assert_eq!(questions, checks);
    }
}

/// 2,000 rows, five columns of eight values that are halved three times.
fn halved() -> (FrequencyTable, Ladder) {
    let mut state = 17u64;
    // The more often, the rarer are large values.
    let mut draw = |times: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (0..times).fold(7, |value, time| value & (state >> (33 + 3 * time)) as u32)
    };
    let mut tuples = std::collections::BTreeMap::new();
    for _ in 0..2000 {
        *tuples.entry([draw(1), draw(2), draw(3), draw(5), draw(8)]).or_insert(0u32) += 1;
    }
    let columns =
        (0..5).map(|column| tuples.keys().map(|tuple| tuple[column]).collect::<Vec<u32>>()).collect();
    let groups = |shift: u32| (0..8).map(|value: u32| value >> shift).collect::<Vec<u32>>();
    let ladder = ladder_of(8, &[groups(1), groups(2), groups(3)], &[]).unwrap();
    let table = FrequencyTable::new(columns, tuples.into_values().collect(), None, Vec::new()).unwrap();
    (table, ladder)
}

#[test]
fn losses_that_are_known_spare_most_questions() {
    let (real, ladder) = halved();
    let task = task(real.clone(), &ladder, 5, 40);
    let reader = task.checker(1 << 20);
    let asked = |algorithm, bounds| {
        let columns = (0..5).map(|column| real.column(column).clone()).collect();
        let problem = RemoteProblem {
            columns: task.columns().clone(),
            case: task.case(),
            algorithm,
            bounds,
            visible: VisibleRows {
                table: FrequencyTable::new(
                    columns,
                    vec![1; real.tuple_count()],
                    Some(real.rows().to_vec()),
                    Vec::new(),
                )
                .unwrap(),
                least: 0,
                most_left_out: 40,
            },
        };
        let (best, questions, checks) = answered(problem, &reader);
        assert_eq!(questions, checks);
        (best.map(|best| (best.node, best.loss)), questions)
    };
    let (best, paths) = asked(Algorithm::Flash, LossBounds::Unknown);
    let (same, columns_first) = asked(Algorithm::BestFirst, LossBounds::OfColumns);
    assert_eq!(best, same);
    assert!(3 * columns_first < paths, "{columns_first} of {paths}");
}
