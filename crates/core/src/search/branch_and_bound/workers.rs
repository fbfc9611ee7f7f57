//! Threads that check nodes while the search chooses the next ones.
//!
//! A check of a small table takes less time than waking a thread up, so threads spin for a while before they sleep.

use super::super::CheckError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Turns that an idle thread spins before it sleeps: some hundred microseconds. From the small tables of
/// the `baseline` workload with two threads, where rounds spent most of their time waking a thread up.
const SPINS: usize = 1 << 14;

/// Several threads that work on things, or this one alone.
pub(super) struct Workers<'a, T, R> {
    job: &'a (dyn Fn(&T) -> Result<R, CheckError> + Sync),
    queue: Mutex<Queue<T, R>>,
    /// Counts the changes of the queue, so that queue for one needs no lock.
    changes: AtomicUsize,
    changed: Condvar,
}

/// Where things are put, and what was found.
struct Queue<T, R> {
    /// Tasks that no worker has taken. The first one is last.
    things: Vec<(usize, T)>,
    /// How many are being worked on.
    under_way: usize,
    found: Vec<(usize, Result<R, CheckError>)>,
    sleeping: usize,
    closed: bool,
    /// A job panicked.
    lost: bool,
}

impl<'a, T: Clone + Send, R: Send> Workers<'a, T, R> {
    /// Does `work` with at most this number of other threads.
    pub(super) fn with<W>(
        job: &'a (dyn Fn(&T) -> Result<R, CheckError> + Sync),
        threads: usize,
        work: impl FnOnce(&Workers<'a, T, R>) -> W,
    ) -> W {
        let queue = Queue {
            things: Vec::new(),
            under_way: 0,
            found: Vec::new(),
            sleeping: 0,
            closed: false,
            lost: false,
        };
        let workers =
            Workers { job, queue: Mutex::new(queue), changes: AtomicUsize::new(0), changed: Condvar::new() };
        std::thread::scope(|scope| {
            let _closing = Closing(&workers);
            for _ in 0..threads {
                // With fewer threads the same is done, only later.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || workers.help());
            }
            work(&workers)
        })
    }

    /// The results, in the order of the things. This thread does `meanwhile` first and then works, too. After a failure no other job is begun.
    pub(super) fn run(&self, things: &[T], meanwhile: impl FnOnce()) -> Result<Vec<R>, CheckError> {
        self.change(|queue| queue.things = things.iter().cloned().enumerate().rev().collect());
        meanwhile();
        let mut found = loop {
            let (queue, seen) = self.read();
            assert!(!queue.lost, "a check has panicked");
            if queue.things.is_empty() && queue.under_way == 0 {
                break self.change_locked(queue, |queue| std::mem::take(&mut queue.found));
            }
            self.take_one(queue, seen);
        };
        found.sort_by_key(|&(position, _)| position);
        found.into_iter().map(|(_, found)| found).collect()
    }

    fn help(&self) {
        loop {
            let (queue, seen) = self.read();
            if queue.closed {
                return;
            }
            self.take_one(queue, seen);
        }
    }

    /// Works on one task, or waits for a change if there is no task.
    fn take_one(&self, mut queue: MutexGuard<'_, Queue<T, R>>, seen: usize) {
        let next = queue.things.pop();
        queue.under_way += usize::from(next.is_some());
        drop(queue);
        match next {
            Some((position, thing)) => {
                let losing = Losing(self);
                let found = (self.job)(&thing);
                std::mem::forget(losing);
                self.change(|queue| {
                    if found.is_err() {
                        queue.things.clear();
                    }
                    queue.found.push((position, found));
                    queue.under_way -= 1;
                });
            }
            None => self.wait(seen),
        }
    }

    /// The queue, and how often it has changed.
    fn read(&self) -> (MutexGuard<'_, Queue<T, R>>, usize) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = self.changes.load(Ordering::Relaxed);
        (queue, seen)
    }

    fn change<C>(&self, change: impl FnOnce(&mut Queue<T, R>) -> C) -> C {
        self.change_locked(self.read().0, change)
    }

    fn change_locked<C>(
        &self,
        mut queue: MutexGuard<'_, Queue<T, R>>,
        change: impl FnOnce(&mut Queue<T, R>) -> C,
    ) -> C {
        let result = change(&mut queue);
        self.changes.fetch_add(1, Ordering::Release);
        if queue.sleeping > 0 {
            self.changed.notify_all();
        }
        result
    }

    /// Until the queue has changed.
    fn wait(&self, seen: usize) {
        for _ in 0..SPINS {
            if self.changes.load(Ordering::Acquire) != seen {
                return;
            }
            std::hint::spin_loop();
        }
        let (mut queue, mut now) = self.read();
        queue.sleeping += 1;
        while now == seen {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            now = self.changes.load(Ordering::Relaxed);
        }
        queue.sleeping -= 1;
    }
}

/// Ends the workers, whatever happens.
struct Closing<'h, 'a, T: Clone + Send, R: Send>(&'h Workers<'a, T, R>);

impl<T: Clone + Send, R: Send> Drop for Closing<'_, '_, T, R> {
    fn drop(&mut self) {
        self.0.change(|queue| queue.closed = true);
    }
}

/// Tells the others that a job has panicked.
struct Losing<'h, 'a, T: Clone + Send, R: Send>(&'h Workers<'a, T, R>);

impl<T: Clone + Send, R: Send> Drop for Losing<'_, '_, T, R> {
    fn drop(&mut self) {
        self.0.change(|queue| queue.lost = true);
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
            Workers::with(&slowly, others, |workers| {
                for round in 0..20 {
                    let numbers: Vec<u64> = (0..round % 7).collect();
                    let mut meanwhile = false;
                    let found = workers.run(&numbers, || meanwhile = true).unwrap();
                    assert_eq!(found, numbers.iter().map(|number| number * 2).collect::<Vec<_>>());
                    assert!(meanwhile);
                }
                // Long enough for all to have fallen asleep.
                idle(8 * SPINS as u64);
                assert_eq!(workers.run(&[1], || {}).unwrap(), [2]);
            });
        }
    }
}
