//! What a task works out of its parts, and what it refuses.

use super::*;
use crate::criteria::{DistinctLDiversity, KAnonymity, Monotonicity, RecursiveLDiversity};
use crate::exact::Fraction;
use crate::lattice::Node;
use crate::search::Algorithm;
use crate::solve::Effort;
use crate::table::FrequencyTable;
use crate::testing::{ladder, patients};

/// The eight patients.
fn tuples() -> Arc<FrequencyTable> {
    Arc::new(patients().table)
}

fn columns() -> QuasiIdentifiers {
    let fixture = patients();
    let columns = fixture.names.into_iter().zip(fixture.ladders);
    QuasiIdentifiers::new(columns.map(|(name, ladder)| QuasiIdentifier::new(name, ladder))).unwrap()
}

fn at_least(k: u64) -> Vec<Box<dyn ClassCriterion>> {
    vec![Box::new(KAnonymity { k })]
}

fn task(k: u64, limit: SuppressionLimit) -> Task {
    Task::new(tuples(), columns(), at_least(k), Metric::NonUniformEntropy, limit).unwrap()
}

fn recursive() -> Vec<Box<dyn ClassCriterion>> {
    vec![Box::new(RecursiveLDiversity { sensitive: 0, c: Fraction::new(4, 1).unwrap(), l: 2 })]
}

#[test]
fn the_published_optimum_is_found() {
    let solution = task(2, SuppressionLimit::NONE).solve(Algorithm::Flash, &Effort::default()).unwrap();
    let solution = solution.unwrap();
    assert_eq!(solution.node, Node::new([1, 0, 3]));
    assert!(solution.holds);
    assert_eq!((solution.suppressed_rows, solution.smallest_class), (0, 2));
}

#[test]
fn an_empty_release_is_no_release() {
    let everything = SuppressionLimit::Share(Fraction::ONE);
    let task = task(9, everything);
    assert_eq!(task.suppression_limit(), 7);
    for algorithm in Algorithm::ALL {
        assert!(task.solve(algorithm, &Effort::default()).unwrap().is_none(), "{}", algorithm.name());
    }
}

#[test]
fn the_case_depends_on_whether_anything_may_be_suppressed() {
    let strict = task(2, SuppressionLimit::NONE).under(recursive(), SuppressionLimit::NONE).unwrap();
    let lenient = strict.under(recursive(), SuppressionLimit::Count(2)).unwrap();
    assert_eq!(strict.case().criterion, Monotonicity::Full);
    assert_eq!(lenient.case().criterion, Monotonicity::Partly);
    // A share of less than a row allows nothing.
    let less_than_one = SuppressionLimit::Share(Fraction::new(1, 9).unwrap());
    assert_eq!(strict.under(recursive(), less_than_one).unwrap().case(), strict.case());
}

#[test]
fn an_assumption_can_be_taken_back() {
    let lenient = task(2, SuppressionLimit::NONE).under(recursive(), SuppressionLimit::Count(2)).unwrap();
    let assumed = lenient.clone().assuming_monotonicity();
    assert_eq!(assumed.case().criterion, Monotonicity::Full);
    assert!(assumed.criteria().assumes_more_than_is_proven());
    let again = assumed.without_assumptions();
    assert_eq!(again.case(), lenient.case());
    assert!(!again.criteria().assumes_more_than_is_proven());
}

#[test]
fn tuples_are_shared_not_copied() {
    let tuples = tuples();
    let task = Task::new(
        Arc::clone(&tuples) as Arc<dyn TupleSource>,
        columns(),
        at_least(2),
        Metric::Loss,
        SuppressionLimit::NONE,
    );
    let task = task.unwrap();
    let other = task.under(at_least(3), SuppressionLimit::NONE).unwrap();
    for task in [&task, &other, &task.clone()] {
        assert!(std::ptr::eq(task.tuples().held().unwrap(), &*tuples));
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let refused = |columns: Vec<QuasiIdentifier>, criteria: Vec<Box<dyn ClassCriterion>>| {
        let columns = QuasiIdentifiers::new(columns).unwrap();
        Task::new(tuples(), columns, criteria, Metric::Loss, SuppressionLimit::NONE).unwrap_err()
    };
    let all = || {
        let fixture = patients();
        let columns = fixture.names.into_iter().zip(fixture.ladders);
        columns.map(|(name, ladder)| QuasiIdentifier::new(name, ladder)).collect::<Vec<_>>()
    };
    let fewer = all().into_iter().take(2).collect();
    assert_eq!(refused(fewer, at_least(2)), TaskError::Width { expected: 2, found: 3 });
    let mut other = all();
    other[1].ladder = ladder(&["F *"]);
    let unknown = TaskError::Code { name: "q1".into(), code: 1, values: 1 };
    assert_eq!(refused(other, at_least(2)), unknown);
    let diverse: Vec<Box<dyn ClassCriterion>> = vec![Box::new(DistinctLDiversity { sensitive: 1, l: 2 })];
    assert_eq!(refused(all(), diverse), TaskError::Sensitive { position: 1, found: 1 });
}
