//! Threads that look at nodes or rows while the search decides where to look next.
//!
//! A look at a small table takes less time than waking a thread up, so threads wait awake for a while before they sleep.

use super::super::CheckError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How often a waiting thread looks for news before it goes to sleep: some hundred microseconds.
const PATIENCE: usize = 1 << 14;

/// Several threads that look at things, or this one alone.
pub(super) struct Helpers<'a, T, R> {
    look: &'a (dyn Fn(&T) -> Result<R, CheckError> + Sync),
    desk: Mutex<Desk<T, R>>,
    /// Counts the changes of the desk, so that waiting for one needs no lock.
    changes: AtomicUsize,
    changed: Condvar,
}

/// Where things are put, and what was found.
struct Desk<T, R> {
    /// What nobody has taken yet, the first one last.
    things: Vec<(usize, T)>,
    /// How many are being looked at.
    under_way: usize,
    found: Vec<(usize, Result<R, CheckError>)>,
    sleeping: usize,
    closed: bool,
    /// A look never came back.
    lost: bool,
}

impl<'a, T: Clone + Send, R: Send> Helpers<'a, T, R> {
    /// Does `work` with the help of so many other threads, or of as many as can be had.
    pub(super) fn with<W>(
        look: &'a (dyn Fn(&T) -> Result<R, CheckError> + Sync),
        threads: usize,
        work: impl FnOnce(&Helpers<'a, T, R>) -> W,
    ) -> W {
        let desk = Desk {
            things: Vec::new(),
            under_way: 0,
            found: Vec::new(),
            sleeping: 0,
            closed: false,
            lost: false,
        };
        let helpers =
            Helpers { look, desk: Mutex::new(desk), changes: AtomicUsize::new(0), changed: Condvar::new() };
        std::thread::scope(|scope| {
            let _closing = Closing(&helpers);
            for _ in 0..threads {
                // With fewer threads the same is done, only later.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || helpers.help());
            }
            work(&helpers)
        })
    }

    /// What was found, in the order of the things; this thread does `meanwhile` first and helps then. After a failure no other look is begun.
    pub(super) fn look(&self, things: &[T], meanwhile: impl FnOnce()) -> Result<Vec<R>, CheckError> {
        self.change(|desk| desk.things = things.iter().cloned().enumerate().rev().collect());
        meanwhile();
        let mut found = loop {
            let (desk, seen) = self.read();
            assert!(!desk.lost, "a look has panicked");
            if desk.things.is_empty() && desk.under_way == 0 {
                break self.change_locked(desk, |desk| std::mem::take(&mut desk.found));
            }
            self.take_one(desk, seen);
        };
        found.sort_by_key(|&(position, _)| position);
        found.into_iter().map(|(_, found)| found).collect()
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

    /// Looks at one thing, or waits for news where there is none.
    fn take_one(&self, mut desk: MutexGuard<'_, Desk<T, R>>, seen: usize) {
        let next = desk.things.pop();
        desk.under_way += usize::from(next.is_some());
        drop(desk);
        match next {
            Some((position, thing)) => {
                let losing = Losing(self);
                let found = (self.look)(&thing);
                std::mem::forget(losing);
                self.change(|desk| {
                    if found.is_err() {
                        desk.things.clear();
                    }
                    desk.found.push((position, found));
                    desk.under_way -= 1;
                });
            }
            None => self.wait(seen),
        }
    }

    /// The desk, and how often it has changed.
    fn read(&self) -> (MutexGuard<'_, Desk<T, R>>, usize) {
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = self.changes.load(Ordering::Relaxed);
        (desk, seen)
    }

    fn change<C>(&self, change: impl FnOnce(&mut Desk<T, R>) -> C) -> C {
        self.change_locked(self.read().0, change)
    }

    fn change_locked<C>(
        &self,
        mut desk: MutexGuard<'_, Desk<T, R>>,
        change: impl FnOnce(&mut Desk<T, R>) -> C,
    ) -> C {
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
struct Closing<'h, 'a, T: Clone + Send, R: Send>(&'h Helpers<'a, T, R>);

impl<T: Clone + Send, R: Send> Drop for Closing<'_, '_, T, R> {
    fn drop(&mut self) {
        self.0.change(|desk| desk.closed = true);
    }
}

/// Tells the others that a look will never come back.
struct Losing<'h, 'a, T: Clone + Send, R: Send>(&'h Helpers<'a, T, R>);

impl<T: Clone + Send, R: Send> Drop for Losing<'_, '_, T, R> {
    fn drop(&mut self) {
        self.0.change(|desk| desk.lost = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle(turns: u64) {
        (0..turns).for_each(|_| std::thread::yield_now());
    }

    /// Takes its time.
    fn slowly(number: &u64) -> Result<u64, CheckError> {
        idle(number % 3 * 1000);
        Ok(number * 2)
    }

    #[test]
    fn what_is_found_comes_in_order_with_any_number_of_threads() {
        for others in 0..4 {
            Helpers::with(&slowly, others, |helpers| {
                for round in 0..20 {
                    let numbers: Vec<u64> = (0..round % 7).collect();
                    let mut meanwhile = false;
                    let found = helpers.look(&numbers, || meanwhile = true).unwrap();
                    assert_eq!(found, numbers.iter().map(|number| number * 2).collect::<Vec<_>>());
                    assert!(meanwhile);
                }
                // Long enough for all to have fallen asleep.
                idle(8 * PATIENCE as u64);
                assert_eq!(helpers.look(&[1], || {}).unwrap(), [2]);
            });
        }
    }
}
