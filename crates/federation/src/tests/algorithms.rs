//! The agreed search is the one that runs.

use super::*;
use crate::{Criterion, Guarantee};
use paravent_core::exact::Fraction;
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;

#[test]
fn every_algorithm_runs_as_agreed_and_finds_the_optimum() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        for algorithm in Algorithm::ALL {
            // The one metric by which all of them have a guarantee.
            let mut plan = table.plan(protocol, Split::Horizontal, 3);
            (plan.metric, plan.algorithm) = (Metric::Height, algorithm);
            plan.validate().unwrap();
            let run = run(&plan, &table);
            assert_equals_central(&plan, &table, &run);
            let facts = run.release.unwrap().facts;
            let nodes = 2 * 3 * 6;
            if algorithm == Algorithm::Exhaustive && protocol != COPIES {
                assert_eq!(facts.checks, nodes, "every node is looked at");
            }
            if algorithm == Algorithm::Bfs && protocol != COPIES {
                assert!(facts.checks < nodes && facts.checks > 3, "{}", facts.checks);
            }
        }
    }
}

#[test]
fn an_algorithm_without_a_guarantee_is_refused_before_anything_moves_unless_all_agree() {
    let table = JointTable::example();
    for algorithm in [Algorithm::Ola, Algorithm::Incognito, Algorithm::Samarati] {
        let mut plan = table.plan(Protocol::B, Split::Horizontal, 3);
        plan.suppression_limit = Fraction::new(1, 4).unwrap();
        (plan.metric, plan.algorithm) = (Metric::Loss, algorithm);
        let refused = plan.validate().unwrap_err().to_string();
        assert!(refused.contains("cannot guarantee the best release"), "{refused}");
        plan.guarantee = Guarantee::Waived;
        plan.validate().unwrap();
        let release = run(&plan, &table).release.unwrap();
        let smallest = release.classes(&plan.quasi_identifiers()).values().map(Vec::len).min();
        assert!(smallest >= Some(2));
        assert!(!release.facts.optimal, "{algorithm:?} claims what it cannot know");
    }
}

#[test]
fn an_algorithm_without_a_guarantee_does_not_say_that_there_is_nothing() {
    // Not even all rows in one class are enough: certain only after a search with a guarantee.
    let table = JointTable::example();
    let mut plan = table.plan(Protocol::B, Split::Horizontal, 3);
    (plan.algorithm, plan.guarantee) = (Algorithm::Samarati, Guarantee::Waived);
    plan.metric = Metric::Loss;
    plan.criteria = vec![Criterion::KAnonymity { k: 9 }];
    assert!(run(&plan, &table).release.is_none());
}
