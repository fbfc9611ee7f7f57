//! Deferred checks that turn out to hold, and some that do not.

use super::halts::Impatient;
use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Some nodes hold, whatever lies above or below them; sizes decide those that `fail_at_once`, and pass all others. Loss is height.
struct Scripted {
    lattice: Lattice,
    holds: Vec<bool>,
    fail_at_once: Vec<bool>,
    checks_made: AtomicU64,
}

impl Scripted {
    fn index(&self, node: &Node) -> usize {
        self.lattice.index(node) as usize
    }

    fn verdict(&self, node: &Node) -> Verdict {
        let passes = !self.fail_at_once[self.index(node)];
        let holds = passes && self.holds[self.index(node)];
        Verdict {
            monotone_part_holds: passes,
            sizes_pass: passes,
            // Nothing is said of other nodes, so every one has to be looked at or ruled out.
            refuted: None,
            suppression_ratio: 0.5,
            holds,
            loss: if holds { self.lower_bound(node) } else { f64::INFINITY },
            suppressed_rows: 0,
            lower_bound_above: f64::NEG_INFINITY,
            lower_bound_below: f64::NEG_INFINITY,
            unrefuted_above: None,
        }
    }
}

impl Checker for Scripted {
    fn check(&self, node: &Node, _: Depth) -> Result<Verdict, CheckError> {
        self.checks_made.fetch_add(1, Ordering::SeqCst);
        Ok(self.verdict(node))
    }

    fn prior(&self) -> &dyn Prior {
        self
    }

    fn shortcuts(&self) -> Option<&dyn Shortcuts> {
        Some(self)
    }
}

impl Prior for Scripted {
    fn lower_bound(&self, node: &Node) -> f64 {
        f64::from(node.height())
    }
}

impl Shortcuts for Scripted {
    fn check_sizes(&self, node: &Node) -> Result<SizeCheck, CheckError> {
        let verdict = self.verdict(node);
        Ok(if verdict.sizes_pass {
            SizeCheck::Passes { suppression_ratio: 0.5 }
        } else {
            SizeCheck::Decides(verdict)
        })
    }

    fn likely_counterexamples(&self, _: &Node) -> Vec<usize> {
        Vec::new()
    }

    fn counterexamples(&self, _: &Node) -> Vec<usize> {
        Vec::new()
    }

    fn refuted_by(&self, _: usize, lattice: &Lattice) -> Vec<bool> {
        vec![false; lattice.node_count() as usize]
    }
}

fn search<R>(checker: &Scripted, observer: &dyn Observer, then: impl Fn(&Problem<'_>) -> R) -> R {
    let line = ladder(&["a 1 1 *", "b 1 1 *", "c 2 1 *", "d 3 2 *"]);
    let ladders = [line.clone(), line.clone(), line];
    let order = NodeOrder::new(["x", "y", "z"].into_iter().zip(&ladders));
    then(&Problem {
        lattice: &checker.lattice,
        order: &order,
        case: Case { criterion: Monotonicity::None, monotone_metric: true },
        case_is_assumed: false,
        checker,
        observer,
        threads: 1,
    })
}

fn scripted(holds: Vec<bool>, fail_at_once: Vec<bool>) -> Scripted {
    let lattice = Lattice::new(vec![0; 3], vec![3; 3]).unwrap();
    Scripted { lattice, holds, fail_at_once, checks_made: AtomicU64::new(0) }
}

proptest! {
    #[test]
    fn a_failed_deferral_costs_checks_and_never_the_optimum(
        holding in 0.0..1.0f64, failing in 0.0..0.9f64, draws in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 64), patience in 1u64..70,
    ) {
        let holds = draws.iter().map(|draw| draw.0 < holding).collect();
        let fail_at_once = draws.iter().map(|draw| draw.1 < failing).collect();
        let checker = scripted(holds, fail_at_once);
        search(&checker, &Unobserved, |problem| {
            let ours = run(problem, Algorithm::BestFirst).unwrap();
            let exhaustive = run(problem, Algorithm::Exhaustive).unwrap();
            prop_assert!(ours.optimal && ours.complete);
            prop_assert_eq!(ours.best, exhaustive.best);
            prop_assert!(ours.checks <= 64);
            // Every node is decided, and rightly so.
            prop_assert_eq!(ours.nodes.undecided, 0);
            for (said, is) in ours.states.iter().zip(&exhaustive.states) {
                prop_assert!(said == is || *said == NodeState::CannotBeOptimal);
            }
            // Stopped at any time, what it says is true as far as it goes.
            let stopped = run(&Problem { observer: &Impatient::after(patience), ..*problem }, Algorithm::BestFirst).unwrap();
            let (best, bound) = (stopped.best.map(|best| best.loss), stopped.bound);
            let optimum = run(problem, Algorithm::Exhaustive).unwrap().best.map(|best| best.loss);
            prop_assert!(best.is_none_or(|best| optimum.is_some_and(|optimum| optimum <= best)));
            prop_assert!(optimum.is_none_or(|optimum| bound.is_some_and(|bound| bound <= optimum)));
            prop_assert!(!stopped.complete || best == optimum);
            Ok(())
        })?;
    }
}

#[test]
fn where_all_that_pass_hold_few_are_looked_at() {
    let lattice = Lattice::new(vec![0; 3], vec![3; 3]).unwrap();
    let low = |index: u64| lattice.node(index).height() < 3;
    let checker = scripted(vec![true; 64], (0..64).map(low).collect());
    let report = search(&checker, &Unobserved, |problem| run(problem, Algorithm::BestFirst).unwrap());
    assert_eq!(report.best.map(|best| best.loss), Some(3.0));
    // Two rounds before there is defer, and the best in the end; without defer all that beat each other on the way.
    let checks_made = checker.checks_made.load(Ordering::SeqCst);
    assert!(checks_made <= 9, "{checks_made}");
}
