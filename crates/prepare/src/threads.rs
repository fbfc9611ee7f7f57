//! Threads that cannot be made are an error, not a panic.

use std::io;

/// Starts the threads that searches and counts share, unless they run already. Otherwise the first use would start them, and panic where the
/// system refuses.
///
/// # Errors
/// If the system refuses.
pub fn start() -> io::Result<()> {
    static STARTED: std::sync::Mutex<bool> = std::sync::Mutex::new(false);
    let mut started = STARTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !*started {
        use std::error::Error;
        match rayon::ThreadPoolBuilder::new().build_global() {
            // Somebody else has started them: then there is no cause within.
            Err(error) if error.source().is_some() => return Err(cannot(&error)),
            _ => *started = true,
        }
    }
    Ok(())
}

/// Runs on `threads` threads of its own; on as many as there are cores where that is 0.
///
/// # Errors
/// Those of the run; `failed` makes one where the system refuses to make threads.
pub fn in_pool<T: Send, E: Send>(
    threads: usize,
    failed: impl FnOnce(io::Error) -> E,
    run: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => Err(failed(cannot(&error))),
    }
}

/// What to say of a pool that cannot be built.
fn cannot(error: &rayon::ThreadPoolBuildError) -> io::Error {
    io::Error::other(format!("threads cannot be made: {error}"))
}
