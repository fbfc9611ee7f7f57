//! The algorithms of the literature on the example relation, and what each can guarantee.

use super::*;

/// 2-anonymity without suppression: case 1. The height metric where Samarati's search is meant.
fn two_anonymity(algorithm: Algorithm) -> (Vec<String>, SearchReport) {
    let metric = if algorithm == Algorithm::Samarati { Metric::Height } else { Metric::NonUniformEntropy };
    let (asked, report, case) = trace(algorithm, &[Wish::K(2)], metric, 0);
    assert_eq!(case, 1);
    assert!(report.optimal);
    assert_eq!(report.best.as_ref().unwrap().node, Node::new([1, 0, 3]));
    (asked, report)
}

fn nodes(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn every_algorithm_finds_the_published_optimum() {
    for algorithm in Algorithm::ALL {
        let (asked, report) = two_anonymity(algorithm);
        assert_eq!(asked.len() as u64, report.checks + report.subset_tests, "{algorithm:?}");
        assert_eq!(report.nodes.undecided, 0, "{algorithm:?}");
        assert_eq!(report.tagged() + report.checks, 36, "{algorithm:?}");
    }
}

#[test]
fn samarati_looks_at_heights_4_1_2_3() {
    let (asked, _) = two_anonymity(Algorithm::Samarati);
    let expected = nodes(
        "(0,0,4) (1,0,3)
         (0,0,1) (1,0,0) (0,1,0)
         (0,0,2) (1,0,1) (2,0,0) (0,1,1) (1,1,0)
         (0,0,3) (1,0,2) (2,0,1) (0,1,2) (1,1,1) (2,1,0)",
    );
    assert_eq!(asked, expected);
}

#[test]
fn samarati_claims_nothing_by_a_metric_that_is_not_the_height() {
    // The lowest anonymous node happens to be the best here, but nothing proves it.
    let (_, report, _) = trace(Algorithm::Samarati, &[Wish::K(2)], Metric::MonotoneDiscernibility, 0);
    assert_eq!(report.best.unwrap().node, Node::new([1, 0, 3]));
    assert!(report.complete && !report.optimal);
}

#[test]
fn incognito_begins_with_single_columns_and_ends_with_one_node_of_all() {
    let (asked, report) = two_anonymity(Algorithm::Incognito);
    let expected = nodes(
        "(0,1,5) (1,1,5)
         (2,0,5)
         (2,1,0) (2,1,1) (2,1,2) (2,1,3)
         (1,0,5)
         (1,1,3)
         (2,0,3)
         (1,0,3)",
    );
    assert_eq!(asked, expected);
    assert_eq!((report.subset_tests, report.checks), (10, 1));
}

#[test]
fn ola_begins_with_the_published_branch() {
    let (asked, _) = two_anonymity(Algorithm::Ola);
    let expected = "(2,1,1) (2,1,3) (2,1,2) (2,0,3) (1,1,3) (1,0,3) (0,0,3) (0,1,3) (0,1,4) (0,1,5)";
    assert_eq!(asked, nodes(expected));
}

#[test]
fn ola_tests_the_upper_of_two_levels() {
    let fixture = Fixture::new(vec![ladder(&["a *", "b *"])], &[(vec![0], 0, true), (vec![1], 0, true)], 1);
    let criteria = criteria(&[Wish::K(2)], &fixture.table, 0);
    let checker = fixture.checker(&criteria, Metric::NonUniformEntropy, 0);
    let (lattice, order) = (fixture.lattice(), fixture.order());
    let report = run(&problem(&lattice, &order, &checker), Algorithm::Ola).unwrap();
    assert_eq!(report.best.unwrap().node, Node::new([1]));
}

#[test]
fn breadth_first_goes_by_levels_and_node_order() {
    let (asked, _) = two_anonymity(Algorithm::Bfs);
    let expected = nodes(
        "(0,0,0)
         (0,0,1) (1,0,0) (0,1,0)
         (0,0,2) (1,0,1) (2,0,0) (0,1,1) (1,1,0)
         (0,0,3) (1,0,2) (2,0,1) (0,1,2) (1,1,1) (2,1,0)
         (0,0,4) (1,0,3) (2,0,2) (0,1,3) (1,1,2) (2,1,1)
         (0,0,5) (0,1,4) (2,1,2)
         (0,1,5)",
    );
    assert_eq!(asked, expected);
}

#[test]
fn depth_first_goes_up_before_it_goes_on() {
    let expected = nodes(
        "(0,0,0) (0,0,1) (0,0,2) (0,0,3) (0,0,4) (0,0,5) (1,0,5) (0,1,5) (1,0,4) (1,0,3) (1,0,2) (2,0,2) (2,1,2)",
    );
    assert_eq!(two_anonymity(Algorithm::Dfs).0, expected);
    assert_eq!(two_anonymity(Algorithm::FlashDfs).0, expected);
}

#[test]
fn only_the_depth_first_search_of_flash_uses_the_metric_alone() {
    let checks = |algorithm| trace(algorithm, &[Wish::CloseEqual(9)], Metric::NonUniformEntropy, 1);
    let ((_, plain, case), (_, flash, _)) = (checks(Algorithm::Dfs), checks(Algorithm::FlashDfs));
    assert_eq!((case, plain.checks), (5, 36));
    assert!(flash.checks < plain.checks);
    assert_eq!(plain.best, flash.best);
}

#[test]
fn the_two_phases_are_those_of_flash_in_cases_1_to_5() {
    for (wish, metric, limit, case) in [
        (Wish::K(2), Metric::NonUniformEntropy, 0, 1),
        (Wish::K(2), Metric::Loss, 2, 2),
        (Wish::Recursive(40, 2), Metric::NonUniformEntropy, 2, 3),
        (Wish::Recursive(40, 2), Metric::AverageClassSize, 2, 4),
        (Wish::CloseEqual(2), Metric::NonUniformEntropy, 2, 5),
    ] {
        let (asked, report, number) = trace(Algorithm::FlashTwoPhase, &[wish], metric, limit);
        assert_eq!((asked, report, number), flash_trace(&[wish], metric, limit));
        assert_eq!(number, case);
    }
}

#[test]
fn flash_on_one_thread_goes_the_way_of_flash() {
    for (wish, metric, limit) in [
        (Wish::K(2), Metric::NonUniformEntropy, 0),
        (Wish::K(2), Metric::Loss, 2),
        (Wish::Recursive(40, 2), Metric::NonUniformEntropy, 2),
        (Wish::Recursive(40, 2), Metric::AverageClassSize, 2),
        (Wish::CloseEqual(2), Metric::NonUniformEntropy, 2),
        (Wish::CloseEqual(2), Metric::Loss, 2),
    ] {
        let parallel = trace(Algorithm::FlashParallel, &[wish], metric, limit);
        assert_eq!(parallel, flash_trace(&[wish], metric, limit));
    }
}

/// Says what it was told: which nodes keep the criteria; the loss is the height from the top.
struct Told(&'static [[u8; 3]]);

impl Checker for Told {
    fn check(&self, node: &Node, _: Depth) -> Result<Verdict, CheckError> {
        let holds = self.0.iter().any(|levels| levels == node.levels());
        let loss = 3.0 - f64::from(node.height());
        let (refuted, suppression_ratio) = ((!holds).then(|| node.clone()), if holds { 0.5 } else { 2.0 });
        Ok(Verdict {
            monotone_part_holds: holds,
            sizes_pass: holds,
            refuted,
            suppression_ratio,
            holds,
            loss,
            suppressed_rows: 0,
            lower_bound_above: f64::NEG_INFINITY,
            lower_bound_below: f64::NEG_INFINITY,
            unrefuted_above: None,
        })
    }
}

#[test]
fn depth_first_passes_through_nodes_that_are_ruled_out() {
    // Going up by the last column first, (0,1,1) and (1,0,1) fail and rule out (0,1,0) and (1,0,0), the only ways to (1,1,0).
    let ladders = [ladder(&["a *", "b *"]), ladder(&["a *", "b *"]), ladder(&["a *", "b *"])];
    let order = NodeOrder::new(["x", "y", "z"].into_iter().zip(&ladders));
    let lattice = Lattice::new(vec![0; 3], vec![1; 3]).unwrap();
    let case = Case { criterion: Monotonicity::Full, monotone_metric: false };
    let checker = Told(&[[1, 1, 0], [1, 1, 1]]);
    let problem = Problem {
        lattice: &lattice,
        order: &order,
        case,
        case_is_assumed: false,
        checker: &checker,
        observer: &Unobserved,
        threads: 1,
    };
    for algorithm in [Algorithm::Dfs, Algorithm::FlashDfs] {
        assert_eq!(run(&problem, algorithm).unwrap().nodes.anonymous, 2, "{algorithm:?}");
        let exhaustive = run(&problem, Algorithm::Exhaustive).unwrap();
        assert_eq!(run(&problem, algorithm).unwrap().states, exhaustive.states);
    }
}

#[test]
fn guarantees_are_those_of_the_literature() {
    let cases = |algorithm: Algorithm, loss: LossBy| -> Vec<u8> {
        let all = [Monotonicity::Full, Monotonicity::Partly, Monotonicity::None]
            .into_iter()
            .flat_map(|criterion| [true, false].map(|monotone_metric| Case { criterion, monotone_metric }));
        all.filter(|&case| algorithm.guarantees(case, loss).is_ok()).map(Case::number).collect()
    };
    for loss in [LossBy::Height, LossBy::More] {
        for algorithm in Algorithm::ALL {
            let expected: &[u8] = match algorithm {
                Algorithm::Samarati if loss == LossBy::More => &[],
                Algorithm::Samarati | Algorithm::Ola | Algorithm::Incognito => &[1],
                Algorithm::FlashTwoPhase => &[1, 2, 3, 4, 5],
                _ => &[1, 2, 3, 4, 5, 6],
            };
            assert_eq!(cases(algorithm, loss), expected, "{algorithm:?}");
        }
    }
    assert_eq!(LossBy::of(Metric::Height, &[2.0, 2.0]), LossBy::Height);
    assert_eq!(LossBy::of(Metric::Height, &[2.0, 1.0]), LossBy::More);
    assert_eq!(LossBy::of(Metric::Loss, &[1.0, 1.0]), LossBy::More);
}

#[test]
fn names_are_unique_and_found() {
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::by_name(algorithm.name()), Some(algorithm));
    }
    assert_eq!(Algorithm::by_name("magic"), None);
}

#[test]
fn a_lattice_of_one_node_is_searched() {
    for algorithm in Algorithm::ALL {
        for (k, found) in [(1, true), (9, false)] {
            let fixture = patients();
            let criteria = criteria(&[Wish::K(k)], &fixture.table, 0);
            let checker = fixture.checker(&criteria, Metric::Height, 0);
            let (lattice, order) = (Lattice::new(vec![1, 0, 3], vec![1, 0, 3]).unwrap(), fixture.order());
            let report = run(&problem(&lattice, &order, &checker), algorithm).unwrap();
            assert_eq!((report.best.is_some(), report.checks), (found, 1), "{algorithm:?}");
            assert!(report.optimal);
        }
    }
}

#[test]
fn a_lattice_too_large_to_keep_track_of_is_refused() {
    let fixture = patients();
    let criteria = criteria(&[Wish::K(2)], &fixture.table, 0);
    let checker = fixture.checker(&criteria, Metric::Height, 0);
    let lattice = Lattice::new(vec![0; 27], vec![1; 27]).unwrap();
    let order = fixture.order();
    let dense = Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::BestFirst);
    for algorithm in dense {
        let refused = run(&problem(&lattice, &order, &checker), algorithm).unwrap_err();
        assert!(matches!(refused, SearchError::Lattice(_)), "{algorithm:?}");
    }
}
