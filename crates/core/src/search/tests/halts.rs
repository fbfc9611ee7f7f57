//! Searches that are stopped, and searches whose checker fails.

use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stops after a number of looks.
pub(super) struct Impatient {
    patience: u64,
    looks: AtomicU64,
}

impl Impatient {
    pub(super) fn after(patience: u64) -> Impatient {
        Impatient { patience, looks: AtomicU64::new(0) }
    }
}

impl Observer for Impatient {
    fn after_check(&self, _: &Progress) -> Flow {
        let looks = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        if looks >= self.patience { Flow::Stop } else { Flow::Continue }
    }
}

/// Fails at one look, and counts them.
struct Fragile<'a> {
    inner: LocalChecker<'a>,
    fails_at: u64,
    looks: AtomicU64,
}

impl Checker for Fragile<'_> {
    fn check(&self, node: &Node, _: Depth) -> Result<Verdict, CheckError> {
        if self.looks.fetch_add(1, Ordering::SeqCst) + 1 == self.fails_at {
            return Err(CheckError("the line is dead".into()));
        }
        self.inner.check(node, Depth::Full)
    }
}

/// One problem of each of the cases 1, 4 and 6, on the patients.
const PROBLEMS: [(Wish, Metric, u64); 3] = [
    (Wish::K(2), Metric::NonUniformEntropy, 0),
    (Wish::Recursive(40, 2), Metric::AverageClassSize, 2),
    (Wish::CloseEqual(2), Metric::Loss, 2),
];

#[test]
fn a_stopped_search_does_not_claim_the_optimum() {
    for (wish, metric, limit) in PROBLEMS {
        let fixture = patients();
        let criteria = criteria(&[wish], &fixture.table, limit);
        let checker = fixture.checker(&criteria, metric, limit);
        let (lattice, order) = (fixture.lattice(), fixture.order());
        for algorithm in Algorithm::ALL {
            // Exhaustive search asks the observer between batches, and these are larger than this lattice.
            for threads in if algorithm == Algorithm::Exhaustive { 1..=1 } else { 1..=4 } {
                // Our own search needs no more than two looks for one of these.
                let observer = Impatient::after(1);
                let problem = Problem { observer: &observer, threads, ..problem(&lattice, &order, &checker) };
                let report = run(&problem, algorithm).unwrap();
                assert!(!report.complete && !report.optimal, "{algorithm:?}");
                if threads == 1 {
                    assert_eq!(observer.looks.load(Ordering::SeqCst), 1, "{algorithm:?}");
                    assert!(report.nodes.undecided > 0, "{algorithm:?}");
                }
                if let Some(best) = report.best {
                    assert!(checker.check(&best.node, Depth::Full).unwrap().holds, "{algorithm:?}");
                }
            }
        }
    }
}

#[test]
fn a_check_that_fails_ends_the_search() {
    for (wish, metric, limit) in PROBLEMS {
        let fixture = patients();
        let criteria = criteria(&[wish], &fixture.table, limit);
        let (lattice, order) = (fixture.lattice(), fixture.order());
        for algorithm in Algorithm::ALL {
            for (threads, fails_at) in [(1, 1), (1, 5), (4, 1), (4, 5)] {
                let inner = fixture.checker(&criteria, metric, limit);
                let fragile = Fragile { inner, fails_at, looks: AtomicU64::new(0) };
                let problem =
                    Problem { checker: &fragile, threads, ..problem(&lattice, &order, &fragile.inner) };
                let failed = run(&problem, algorithm);
                let looks = fragile.looks.load(Ordering::SeqCst);
                assert!(looks < fails_at || matches!(failed, Err(SearchError::Check(_))), "{algorithm:?}");
                if threads == 1 {
                    assert_eq!(looks, fails_at, "{algorithm:?} goes on after the failure");
                }
            }
        }
    }
}

#[test]
fn a_panic_on_one_thread_does_not_leave_the_others_waiting() {
    struct Panics;
    impl Checker for Panics {
        fn check(&self, _: &Node, _: Depth) -> Result<Verdict, CheckError> {
            panic!("on purpose");
        }
    }
    let fixture = patients();
    let criteria = criteria(&[Wish::K(2)], &fixture.table, 0);
    let checker = fixture.checker(&criteria, Metric::Height, 0);
    let (lattice, order) = (fixture.lattice(), fixture.order());
    let problem = Problem { checker: &Panics, threads: 4, ..problem(&lattice, &order, &checker) };
    for algorithm in [Algorithm::FlashParallel, Algorithm::BestFirst] {
        let search = std::panic::AssertUnwindSafe(|| run(&problem, algorithm));
        assert!(std::panic::catch_unwind(search).is_err(), "{algorithm:?}");
    }
}
