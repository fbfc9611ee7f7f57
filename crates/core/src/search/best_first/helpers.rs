//! Threads that look at nodes while the search decides where to look next.
//!
//! A look at a small table takes less time than waking a thread up, so threads wait awake for a while before they sleep.

use super::super::{CheckError, Checker, Verdict};
use crate::lattice::Node;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How often a waiting thread looks for news before it goes to sleep: some hundred microseconds.
const PATIENCE: usize = 1 << 14;

/// Several threads, or this one alone.
pub(super) struct Helpers<'a> {
    checker: &'a dyn Checker,
    desk: Mutex<Desk>,
    /// Counts the changes of the desk, so that waiting for one needs no lock.
    changes: AtomicUsize,
    changed: Condvar,
}

/// Where nodes are put, and what was found.
#[derive(Default)]
struct Desk {
    /// Nodes nobody has taken yet, the first one last.
    nodes: Vec<(usize, Node)>,
    /// Nodes that are being looked at.
    under_way: usize,
    verdicts: Vec<(usize, Result<Verdict, CheckError>)>,
    sleeping: usize,
    closed: bool,
    /// A look never came back.
    lost: bool,
}

impl<'a> Helpers<'a> {
    /// Does `work` with the help of so many other threads, or of as many as can be had.
    pub(super) fn with<R>(
        checker: &'a dyn Checker,
        threads: usize,
        work: impl FnOnce(&Helpers<'a>) -> R,
    ) -> R {
        let helpers = Helpers {
            checker,
            desk: Mutex::default(),
            changes: AtomicUsize::new(0),
            changed: Condvar::new(),
        };
        std::thread::scope(|scope| {
            let _closing = Closing(&helpers);
            for _ in 0..threads {
                // With fewer threads the same is done, only later.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || helpers.help());
            }
            work(&helpers)
        })
    }

    /// The verdicts on nodes, in their order; this thread does `meanwhile` first and helps then. After a failure no other look is begun.
    pub(super) fn look(&self, nodes: &[Node], meanwhile: impl FnOnce()) -> Result<Vec<Verdict>, CheckError> {
        self.change(|desk| desk.nodes = nodes.iter().cloned().enumerate().rev().collect());
        meanwhile();
        let mut verdicts = loop {
            let (desk, seen) = self.read();
            assert!(!desk.lost, "a look at a node has panicked");
            if desk.nodes.is_empty() && desk.under_way == 0 {
                break self.change_locked(desk, |desk| std::mem::take(&mut desk.verdicts));
            }
            self.take_one(desk, seen);
        };
        verdicts.sort_by_key(|&(position, _)| position);
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }

    fn help(&self) {
        loop {
            let (desk, seen) = self.read();
            if desk.closed {
                return;
            }
            self.take_one(desk, seen);
        }
    }

    /// Looks at a node, or waits for news where there is none.
    fn take_one(&self, mut desk: MutexGuard<'_, Desk>, seen: usize) {
        let next = desk.nodes.pop();
        desk.under_way += usize::from(next.is_some());
        drop(desk);
        match next {
            Some((position, node)) => {
                let losing = Losing(self);
                let verdict = self.checker.look(&node);
                std::mem::forget(losing);
                self.change(|desk| {
                    if verdict.is_err() {
                        desk.nodes.clear();
                    }
                    desk.verdicts.push((position, verdict));
                    desk.under_way -= 1;
                });
            }
            None => self.wait(seen),
        }
    }

    /// The desk, and how often it has changed.
    fn read(&self) -> (MutexGuard<'_, Desk>, usize) {
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = self.changes.load(Ordering::Relaxed);
        (desk, seen)
    }

    fn change<R>(&self, change: impl FnOnce(&mut Desk) -> R) -> R {
        self.change_locked(self.read().0, change)
    }

    fn change_locked<R>(&self, mut desk: MutexGuard<'_, Desk>, change: impl FnOnce(&mut Desk) -> R) -> R {
        let result = change(&mut desk);
        self.changes.fetch_add(1, Ordering::Release);
        if desk.sleeping > 0 {
            self.changed.notify_all();
        }
        result
    }

    /// Until the desk has changed.
    fn wait(&self, seen: usize) {
        for _ in 0..PATIENCE {
            if self.changes.load(Ordering::Acquire) != seen {
                return;
            }
            std::hint::spin_loop();
        }
        let (mut desk, mut now) = self.read();
        desk.sleeping += 1;
        while now == seen {
            desk = self.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
            now = self.changes.load(Ordering::Relaxed);
        }
        desk.sleeping -= 1;
    }
}

/// Sends the helpers home, whatever happens.
struct Closing<'h, 'a>(&'h Helpers<'a>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.change(|desk| desk.closed = true);
    }
}

/// Tells the others that a look will never come back.
struct Losing<'h, 'a>(&'h Helpers<'a>);

impl Drop for Losing<'_, '_> {
    fn drop(&mut self) {
        self.0.change(|desk| desk.lost = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Takes its time, and says as loss which node it was.
    struct Slow;

    impl Checker for Slow {
        fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
            let level = node.levels()[0];
            std::thread::sleep(Duration::from_millis(u64::from(level % 3)));
            Ok(Verdict {
                monotone_part_holds: true,
                refuted: None,
                pressure: 0.0,
                holds: true,
                loss: f64::from(level),
                suppressed_rows: 0,
                bound_above: f64::NEG_INFINITY,
                spared: None,
            })
        }
    }

    #[test]
    fn verdicts_come_in_the_order_of_the_nodes_with_any_number_of_threads() {
        for others in 0..4 {
            Helpers::with(&Slow, others, |helpers| {
                for round in 0..20u8 {
                    let nodes: Vec<Node> = (0..round % 7).map(|level| Node::new(vec![level])).collect();
                    let mut meanwhile = false;
                    let verdicts = helpers.look(&nodes, || meanwhile = true).unwrap();
                    let losses: Vec<f64> = verdicts.iter().map(|verdict| verdict.loss).collect();
                    assert_eq!(losses, (0..round % 7).map(f64::from).collect::<Vec<_>>());
                    assert!(meanwhile);
                }
                // Long enough for all to have fallen asleep.
                std::thread::sleep(Duration::from_millis(20));
                assert_eq!(helpers.look(&[Node::new(vec![1])], || {}).unwrap().len(), 1);
            });
        }
    }
}
