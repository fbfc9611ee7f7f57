//! Where the system makes fewer threads than wanted, work goes on with fewer; without any it is done by whoever asked. Nothing panics.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Starts the threads that searches and counts share, unless they run already. Otherwise the first use would start them, and panic where the
/// system refuses.
///
/// # Errors
/// If nobody can work, not even the calling thread.
pub fn start() -> io::Result<()> {
    static STARTED: Mutex<bool> = Mutex::new(false);
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*started {
        use std::error::Error;
        // Shared threads can be started only once, so what the system gives is tried before.
        let shared = match largest(cores(), pool) {
            Some((threads, _)) => ThreadPoolBuilder::new().num_threads(threads),
            None => ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
        };
        match shared.build_global() {
            // Somebody else has started them: then there is no cause within.
            Err(error) if error.source().is_some() => return Err(cannot(&error)),
            _ => *started = true,
        }
    }
    Ok(())
}

/// Runs on `threads` threads of its own; on as many as there are cores where that is 0. Where the system makes fewer, those are used; where it
/// makes none, the calling thread works alone.
///
/// # Errors
/// Those of the run; `failed` makes one where nobody can work.
pub fn in_pool<T: Send, E: Send>(
    threads: usize,
    failed: impl FnOnce(io::Error) -> E,
    run: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let wanted = if threads == 0 { cores() } else { threads };
    match largest(wanted, pool) {
        Some((_, pool)) => pool.install(run),
        None => start().map_err(failed).and_then(|()| run()),
    }
}

/// Whether the system makes this number of threads at once, each with a stack of this size. For callers whose thread start panics.
///
/// # Errors
/// What the system says.
pub fn can_be_made(threads: usize, stack: Option<usize>) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // Nobody ends before all are there.
        let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let made = (0..threads).try_for_each(|_| {
            let mut builder = thread::Builder::new();
            if let Some(bytes) = stack {
                builder = builder.stack_size(bytes);
            }
            builder.spawn_scoped(scope, || drop(gate.lock())).map(drop)
        });
        drop(closed);
        made
    })
    .map_err(|error| cannot(&error))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn pool(threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().ok()
}

/// The first of `wanted`, half of it, a quarter … that can be made, down to one.
fn largest<P>(wanted: usize, make: impl Fn(usize) -> Option<P>) -> Option<(usize, P)> {
    let halves = std::iter::successors(Some(wanted.max(1)), |threads| (*threads > 1).then_some(threads / 2));
    halves.into_iter().find_map(|threads| Some((threads, make(threads)?)))
}

/// What to say where threads cannot be made.
fn cannot(error: &dyn std::error::Error) -> io::Error {
    io::Error::other(format!("threads cannot be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_threads_are_tried_until_the_system_makes_them() {
        let up_to = |most: usize| move |threads: usize| (threads <= most).then_some(());
        assert_eq!(largest(64, up_to(64)), Some((64, ())));
        assert_eq!(largest(64, up_to(20)), Some((16, ())));
        assert_eq!(largest(7, up_to(1)), Some((1, ())));
        assert_eq!(largest(0, up_to(1)), Some((1, ())));
        assert_eq!(largest(64, up_to(0)), None);
    }

    #[test]
    fn a_system_without_room_for_threads_is_told_of() {
        can_be_made(3, Some(1 << 16)).unwrap();
        let told = can_be_made(3, Some(1 << 50)).unwrap_err();
        assert!(told.to_string().starts_with("threads cannot be made: "), "{told}");
    }

    #[test]
    fn a_pool_has_the_threads_that_were_asked_for() {
        let run = || Ok::<_, io::Error>(rayon::current_num_threads());
        assert_eq!(in_pool(3, |error| error, run).unwrap(), 3);
    }
}
