//! Flash on the example relation, what the cases mean, and every algorithm against exhaustive search.

mod deferred;
mod family;
mod halts;
mod people;
mod streamed;

use super::*;
use crate::criteria::Monotonicity;
use crate::lattice::{Lattice, Node, NodeOrder};
use crate::quality::Metric;
use crate::release::Solution;
use crate::testing::{
    Fixture, Wish, criteria, ladder, male_patients, patients, problem, small_table, wide_table, wishes,
};
use proptest::prelude::*;
use std::sync::Mutex;

/// A checker that writes down which nodes it was asked for.
struct Recorder<'a> {
    inner: LocalChecker<'a>,
    asked: Mutex<Vec<(Node, bool)>>,
}

impl Checker for Recorder<'_> {
    fn check(&self, node: &Node, _: Depth) -> Result<Verdict, CheckError> {
        let verdict = self.inner.check(node, Depth::Full)?;
        self.asked.lock().unwrap().push((node.clone(), verdict.holds));
        Ok(verdict)
    }

    fn prior(&self) -> &dyn Prior {
        self.inner.prior()
    }
}

/// Runs Flash on the patients and returns the checks in order, the report and the case.
fn flash_trace(wishes: &[Wish], metric: Metric, limit: u64) -> (Vec<String>, SearchReport, u8) {
    trace(Algorithm::Flash, wishes, metric, limit)
}

/// Runs an algorithm on the patients and returns the checks in order, the report and the case.
fn trace(
    algorithm: Algorithm,
    wishes: &[Wish],
    metric: Metric,
    limit: u64,
) -> (Vec<String>, SearchReport, u8) {
    let fixture = patients();
    let criteria = criteria(wishes, &fixture.table, limit);
    let (lattice, order) = (fixture.lattice(), fixture.order());
    let recorder = Recorder { inner: fixture.checker(&criteria, metric, limit), asked: Mutex::default() };
    let case = recorder.inner.case();
    let problem = Problem {
        lattice: &lattice,
        order: &order,
        case,
        case_is_assumed: false,
        checker: &recorder,
        observer: &Unobserved,
        threads: 1,
    };
    let report = run(&problem, algorithm).unwrap();
    let asked = recorder.asked.into_inner().unwrap();
    (asked.iter().map(|(node, _)| node.to_string()).collect(), report, case.number())
}

#[test]
fn flash_checks_the_published_nodes_for_two_anonymity() {
    let (asked, report, case) = flash_trace(&[Wish::K(2)], Metric::NonUniformEntropy, 0);
    let published = [
        "(0,0,4)", "(1,0,5)", "(0,0,5)", "(2,0,4)", "(1,0,4)", "(0,1,4)", "(0,1,5)", "(1,0,2)", "(2,0,3)",
        "(1,0,3)", "(2,0,2)", "(2,1,2)",
    ];
    assert_eq!(asked, published);
    assert_eq!(case, 1);
    let best = report.best.unwrap();
    assert_eq!((best.node, best.loss), (Node::new([1, 0, 3]), 28.0));
    assert!(report.optimal);
    assert_eq!((report.nodes.anonymous, report.nodes.not_anonymous), (12, 24));
}

#[test]
fn flash_checks_the_published_nodes_for_recursive_diversity() {
    let (asked, report, case) = flash_trace(&[Wish::Recursive(40, 2)], Metric::AverageClassSize, 2);
    let published = [
        "(0,0,4)", "(1,0,5)", "(0,0,5)", "(2,0,5)", "(2,1,5)", "(1,1,5)", "(2,0,4)", "(1,0,4)", "(2,1,4)",
        "(1,1,4)", "(0,1,4)", "(0,1,5)", "(1,0,2)", "(2,0,3)", "(1,0,3)", "(2,1,3)", "(1,1,3)", "(2,0,2)",
        "(2,1,2)",
    ];
    assert_eq!(asked, published);
    assert_eq!(case, 4);
    // Five nodes share the loss; the lowest in the node order wins, not the first one met.
    let best = report.best.unwrap();
    assert_eq!((best.node, best.loss, best.suppressed_rows), (Node::new([1, 0, 3]), 1.0, 2));
}

#[test]
fn every_node_of_the_example_is_classified_as_published() {
    let fixture = patients();
    let lattice = fixture.lattice();
    let two = criteria(&[Wish::K(2)], &fixture.table, 0);
    let diverse = criteria(&[Wish::Recursive(40, 2)], &fixture.table, 2);
    let two = fixture.checker(&two, Metric::NonUniformEntropy, 0);
    let diverse = fixture.checker(&diverse, Metric::NonUniformEntropy, 2);
    // By node: classes, smallest class, rows that recursive (4,2) suppresses, NUEM.
    let published = CLASSIFICATION.trim().lines().map(|line| {
        let fields: Vec<f64> = line.split_whitespace().map(|field| field.parse().unwrap()).collect();
        (Node::new([fields[0] as u8, fields[1] as u8, fields[2] as u8]), fields[3..].to_vec())
    });
    let mut seen = 0;
    for (node, expected) in published {
        let solution = Solution::at(&diverse, &node).unwrap();
        let classes = two.grouper().group_table(&node).unwrap();
        let smallest = (0..classes.len()).map(|class| classes.rows(class)).min().unwrap();
        assert_eq!((classes.len() as f64, smallest as f64), (expected[0], expected[1]), "{node}");
        assert_eq!(solution.suppressed_rows as f64, expected[2], "{node}");
        assert!((two.lower_bound(&node) - expected[3]).abs() < 1e-5, "{node}");
        assert_eq!(two.check(&node, Depth::Full).unwrap().holds, expected[1] >= 2.0, "{node}");
        assert_eq!(diverse.check(&node, Depth::Full).unwrap().holds, expected[2] <= 2.0, "{node}");
        seen += 1;
    }
    assert_eq!(seen, lattice.node_count());
}

#[test]
fn half_of_each_class_present_is_half_presence() {
    let fixture = male_patients();
    let node = Node::new([2, 1, 3]);
    for (max, holds) in [(5, true), (4, false)] {
        let criteria = criteria(&[Wish::Presence(0, max)], &fixture.table, 0);
        let checker = fixture.checker(&criteria, Metric::NonUniformEntropy, 0);
        assert_eq!(checker.check(&node, Depth::Full).unwrap().holds, holds);
    }
}

/// Fifteen rows of one column in groups of 3, 2 and 10, pneumonia (0) and gastritis (1), and whether the finer and the coarser table
/// keep a wish with so many rows suppressed.
fn finer_and_coarser(lines: &[&str], rows: &[(Vec<u32>, u32, bool)], wish: Wish, limit: u64) -> (bool, bool) {
    let fixture = Fixture::new(vec![ladder(lines)], rows, 2);
    let criteria = criteria(&[wish], &fixture.table, limit);
    let checker = fixture.checker(&criteria, Metric::Height, limit);
    let holds = |level: u8| checker.check(&Node::new([level]), Depth::Full).unwrap().holds;
    (holds(0), holds(1))
}

#[test]
fn with_suppression_a_coarser_table_can_break_what_the_finer_keeps() {
    let patients = |groups: [(u32, u32); 3]| -> Vec<(Vec<u32>, u32, bool)> {
        let group = |(code, (pneumonia, gastritis)): (u32, (u32, u32))| {
            let all = [vec![0; pneumonia as usize], vec![1; gastritis as usize]].concat();
            all.into_iter().map(move |diagnosis| (vec![code], diagnosis, true)).collect::<Vec<_>>()
        };
        (0..).zip(groups).flat_map(group).collect()
    };
    let rows = patients([(2, 1), (1, 1), (0, 10)]);
    let merged = ["a * *", "b * *", "c * *"];
    assert_eq!(finer_and_coarser(&merged, &rows, Wish::Recursive(30, 2), 10), (true, false));
    assert_eq!(finer_and_coarser(&merged, &rows, Wish::Entropy(18), 10), (true, false));
    // Only the two small groups merge; the class of two lies exactly at t = 0.3.
    let small_ones = ["a x *", "b x *", "c y *"];
    assert_eq!(finer_and_coarser(&small_ones, &rows, Wish::CloseEqual(3), 3), (true, false));
    // Five of five and four of ten are in the study.
    let population = |code: u32, inside: u32, all: u32| (0..all).map(move |n| (vec![code], 0, n < inside));
    let presence: Vec<_> = population(0, 5, 5).chain(population(1, 4, 10)).collect();
    assert_eq!(finer_and_coarser(&["a * *", "b * *"], &presence, Wish::Presence(0, 5), 5), (true, false));
}

#[test]
fn the_example_node_is_an_eighth_away_from_the_table() {
    let fixture = patients();
    let criteria = criteria(&[Wish::CloseEqual(2)], &fixture.table, 0);
    let solution =
        Solution::at(&fixture.checker(&criteria, Metric::Height, 0), &Node::new([1, 1, 4])).unwrap();
    assert_eq!((solution.classes, solution.achieved[0].get("t")), (3, Some(0.125)));
}

#[test]
fn an_anonymous_bottom_is_found() {
    let (asked, report, _) = flash_trace(&[Wish::K(1)], Metric::NonUniformEntropy, 0);
    assert_eq!(report.best.unwrap().node, Node::new([0, 0, 0]));
    assert_eq!(asked.last().unwrap(), "(0,0,0)");
}

#[test]
fn no_solution_is_said_to_be_none() {
    let (_, report, _) = flash_trace(&[Wish::K(9)], Metric::NonUniformEntropy, 0);
    assert_eq!(report.best, None);
    assert!(report.complete);
    assert_eq!(report.nodes.not_anonymous, 36);
}

#[test]
fn what_was_never_checked_is_not_called_anonymous() {
    let (_, report, case) = flash_trace(&[Wish::CloseEqual(9)], Metric::NonUniformEntropy, 1);
    assert_eq!(case, 5);
    assert_eq!(report.checks + report.nodes.cannot_be_optimal, 36);
    assert!(report.nodes.cannot_be_optimal > 0);
}

#[test]
fn the_six_cases_are_numbered_as_in_the_literature() {
    let number = |criterion, monotone_metric| Case { criterion, monotone_metric }.number();
    assert_eq!(number(Monotonicity::Full, true), 1);
    assert_eq!(number(Monotonicity::Full, false), 2);
    assert_eq!(number(Monotonicity::Partly, true), 3);
    assert_eq!(number(Monotonicity::Partly, false), 4);
    assert_eq!(number(Monotonicity::None, true), 5);
    assert_eq!(number(Monotonicity::None, false), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_algorithm_finds_what_exhaustive_search_finds(
        fixture in small_table(), wishes in wishes(), metric in prop::sample::select(&Metric::ALL), limit in 0u64..5,
    ) {
        agree(&fixture, &wishes, metric, limit)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    // Wide enough for tests of three columns to say something about the others.
    #[test]
    fn they_do_so_with_more_columns(
        fixture in wide_table(), wishes in wishes(), metric in prop::sample::select(&Metric::ALL), limit in 0u64..5,
    ) {
        agree(&fixture, &wishes, metric, limit)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    // Random wishes seldom meet some of the cases; these meet one each.
    #[test]
    fn they_do_so_in_case_1(problem in of_case(1)) { problem.agree(1)?; }
    #[test]
    fn they_do_so_in_case_2(problem in of_case(2)) { problem.agree(2)?; }
    #[test]
    fn they_do_so_in_case_3(problem in of_case(3)) { problem.agree(3)?; }
    #[test]
    fn they_do_so_in_case_4(problem in of_case(4)) { problem.agree(4)?; }
    #[test]
    fn they_do_so_in_case_5(problem in of_case(5)) { problem.agree(5)?; }
    #[test]
    fn they_do_so_in_case_6(problem in of_case(6)) { problem.agree(6)?; }
}

#[derive(Debug)]
struct RandomProblem {
    fixture: Fixture,
    wishes: Vec<Wish>,
    metric: Metric,
    limit: u64,
}

impl RandomProblem {
    fn agree(&self, case: u8) -> Result<(), TestCaseError> {
        let criteria = criteria(&self.wishes, &self.fixture.table, self.limit);
        prop_assert_eq!(self.fixture.checker(&criteria, self.metric, self.limit).case().number(), case);
        agree(&self.fixture, &self.wishes, self.metric, self.limit)
    }
}

/// Problems of one case, with suppression.
fn of_case(case: u8) -> impl Strategy<Value = RandomProblem> {
    let fixture = small_table().prop_filter("rows to suppress", |fixture| fixture.table.row_count() > 4);
    let monotone = prop_oneof![(2u64..5).prop_map(Wish::K), (2u64..4).prop_map(Wish::Distinct)].boxed();
    let other = prop_oneof![
        (0u64..8).prop_map(Wish::CloseEqual),
        (0u64..8).prop_map(Wish::CloseOrdered),
        (0u64..3, 4u64..11).prop_map(|(min, max)| Wish::Presence(min, max)),
    ]
    .boxed();
    let wishes = match case {
        1 | 2 => prop::collection::vec(monotone, 1..3).boxed(),
        3 | 4 => (monotone, other).prop_map(|(a, b)| vec![a, b]).boxed(),
        _ => prop::collection::vec(other, 1..3).boxed(),
    };
    let is_monotone = |metric: &Metric| metric.is_monotone(crate::criteria::Suppression::Allowed);
    let metrics: Vec<Metric> =
        Metric::ALL.into_iter().filter(|metric| is_monotone(metric) == (case % 2 == 1)).collect();
    (fixture, wishes, prop::sample::select(metrics), 1u64..5)
        .prop_map(|(fixture, wishes, metric, limit)| RandomProblem { fixture, wishes, metric, limit })
}

fn agree(fixture: &Fixture, wishes: &[Wish], metric: Metric, limit: u64) -> Result<(), TestCaseError> {
    let limit = limit.min(fixture.table.row_count() - 1);
    let criteria = criteria(wishes, &fixture.table, limit);
    let checker = fixture.checker(&criteria, metric, limit);
    let (lattice, order) = (fixture.lattice(), fixture.order());
    let problem = problem(&lattice, &order, &checker);
    let exhaustive = run(&problem, Algorithm::Exhaustive).unwrap();
    let loss_by = LossBy::of(metric, &fixture.weights);
    for algorithm in Algorithm::ALL {
        for threads in if algorithm == Algorithm::FlashParallel { &[1, 2, 4][..] } else { &[1] } {
            let report = run(&Problem { threads: *threads, ..problem }, algorithm).unwrap();
            prop_assert!(report.complete);
            if algorithm.guarantees(problem.case, loss_by).is_ok() {
                prop_assert!(report.optimal, "{algorithm:?}");
                prop_assert_eq!(&report.best, &exhaustive.best, "{:?}", algorithm);
                prop_assert_eq!(report.nodes.undecided, 0, "{:?}", algorithm);
                prop_assert!(report.checks <= exhaustive.checks, "{algorithm:?}");
            } else if report.optimal {
                // Samarati's search by another metric, where the bounds happen to prove it.
                prop_assert_eq!(algorithm, Algorithm::Samarati);
                prop_assert_eq!(&report.best, &exhaustive.best);
            } else if let Some(best) = &report.best {
                let verdict = checker.check(&best.node, Depth::Full).unwrap();
                prop_assert!(verdict.holds && verdict.loss == best.loss, "{algorithm:?}");
            }
            // What it says without looking is true.
            for (said, is) in report.states.iter().zip(&exhaustive.states) {
                let silent = matches!(said, NodeState::CannotBeOptimal | NodeState::Undecided);
                prop_assert!(said == is || silent, "{algorithm:?}");
            }
        }
    }
    let parallel = run(&Problem { threads: 2, ..problem }, Algorithm::Exhaustive).unwrap();
    prop_assert_eq!(&exhaustive, &parallel);
    far_agrees(&problem, &exhaustive)?;
    let ours = |threads| run(&Problem { threads, ..problem }, Algorithm::BestFirst).unwrap();
    prop_assert_eq!(ours(1), ours(2));
    // A bound is a bound.
    for index in 0..lattice.enumerable(u64::MAX).unwrap() {
        let node = lattice.node(index);
        let verdict = checker.check(&node, Depth::Full).unwrap();
        prop_assert!(!verdict.holds || checker.lower_bound(&node) <= verdict.loss * (1.0 + 1e-12));
        for above in lattice.successors(index) {
            let above = checker.check(&lattice.node(above), Depth::Full).unwrap();
            prop_assert!(!above.holds || verdict.lower_bound_above <= above.loss * (1.0 + 1e-12));
            prop_assert!(!verdict.holds || above.lower_bound_below <= verdict.loss * (1.0 + 1e-12));
            prop_assert!(above.lower_bound_below <= verdict.lower_bound_below || verdict.refuted.is_some());
            prop_assert!(above.lower_bound_above >= verdict.lower_bound_above * (1.0 - 1e-12));
        }
    }
    if let Some(best) = exhaustive.best {
        prop_assert!(Solution::at(&checker, &best.node).unwrap().holds);
    }
    Ok(())
}

/// The search for lattices too large to write down, on one that is not; and what it says when it is stopped.
fn far_agrees(problem: &Problem<'_>, exhaustive: &SearchReport) -> Result<(), TestCaseError> {
    let far = branch_and_bound::search_frontier(problem).unwrap();
    prop_assert!(far.complete && far.optimal);
    prop_assert_eq!(&far.best, &exhaustive.best);
    prop_assert_eq!(far.bound, exhaustive.best.as_ref().map(|best| best.loss));
    for patience in [1, 3, 9] {
        let observer = halts::Impatient::after(patience);
        for search in [branch_and_bound::search_frontier, branch_and_bound::search] {
            let stopped = search(&Problem { observer: &observer, ..*problem }).unwrap();
            if let (Some(bound), Some(best)) = (stopped.bound, &exhaustive.best) {
                prop_assert!(bound <= best.loss * (1.0 + 1e-12), "{bound} is no bound of {}", best.loss);
            }
            if let Some(best) = &stopped.best {
                prop_assert!(problem.checker.check(&best.node, Depth::Full).unwrap().holds);
            }
        }
    }
    Ok(())
}

const CLASSIFICATION: &str = "
0 0 0 8 1 8 0.0
0 0 1 8 1 8 0.0
0 0 2 8 1 8 4.754888
0 0 3 8 1 8 16.0
0 0 4 8 1 8 24.0
0 0 5 8 1 8 24.0
0 1 0 8 1 8 8.0
0 1 1 8 1 8 8.0
0 1 2 8 1 8 12.754888
0 1 3 8 1 8 24.0
0 1 4 8 1 8 32.0
0 1 5 8 1 8 32.0
1 0 0 8 1 8 12.0
1 0 1 8 1 8 12.0
1 0 2 7 1 6 16.754888
1 0 3 4 2 2 28.0
1 0 4 4 2 2 36.0
1 0 5 4 2 2 36.0
1 1 0 8 1 8 20.0
1 1 1 8 1 8 20.0
1 1 2 7 1 6 24.754888
1 1 3 4 2 2 36.0
1 1 4 3 2 0 44.0
1 1 5 3 2 0 44.0
2 0 0 8 1 8 24.0
2 0 1 8 1 8 24.0
2 0 2 7 1 6 28.754888
2 0 3 4 2 2 40.0
2 0 4 2 4 0 48.0
2 0 5 2 4 0 48.0
2 1 0 8 1 8 32.0
2 1 1 8 1 8 32.0
2 1 2 6 1 5 36.754888
2 1 3 2 4 0 48.0
2 1 4 1 8 0 56.0
2 1 5 1 8 0 56.0
";
