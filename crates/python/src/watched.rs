//! Work on a thread of its own, while this one listens to Ctrl-C and tells how far it has come.

use crate::failed::Failed;
use paravent_tables::watch::{Phase, Watch};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often signals are looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// What the work has told so far.
#[derive(Default)]
struct Told {
    stop: AtomicBool,
    now: Mutex<Now>,
}

/// The phase stays what it is until another begins; what was told already is not told again.
#[derive(Default)]
struct Now {
    phase: Option<Phase>,
    news: Option<(u64, Option<u64>)>,
}

impl Told {
    fn take(&self) -> Option<(Phase, u64, Option<u64>)> {
        let mut now = self.now.lock().ok()?;
        let (done, all) = now.news.take()?;
        Some((now.phase?, done, all))
    }
}

impl Watch for Told {
    fn begin(&self, phase: Phase) {
        if let Ok(mut now) = self.now.lock() {
            *now = Now { phase: Some(phase), news: Some((0, None)) };
        }
    }

    fn advance(&self, done: u64, all: Option<u64>) {
        if let Ok(mut now) = self.now.lock() {
            now.news = Some((done, all));
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Works without the interpreter's lock. `progress` is called with a phase in words, what is done, and how much there is where that is known; an exception
/// from it, or Ctrl-C, stops the work.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Watch) -> Result<T, Failed> + Send,
) -> PyResult<T> {
    let told = Told::default();
    let waiting = thread::current();
    let (finished, interrupted) = thread::scope(|scope| -> PyResult<_> {
        let worker = thread::Builder::new().spawn_scoped(scope, || {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&told)));
            waiting.unpark();
            done
        })?;
        let mut interrupted = None;
        while !worker.is_finished() {
            py.detach(|| thread::park_timeout(PAUSE));
            if interrupted.is_none() {
                interrupted = listen(py, progress, &told).err();
                told.stop.fetch_or(interrupted.is_some(), Ordering::Relaxed);
            }
        }
        Ok((py.detach(|| worker.join()), interrupted))
    })?;
    if let Some(interrupted) = interrupted {
        return Err(interrupted);
    }
    match finished {
        Ok(Ok(done)) => Ok(done?),
        _ => Err(internal()),
    }
}

/// Works without the interpreter's lock on what looks at no watch and changes nothing outside. Ctrl-C gives up waiting: the thread ends by itself, and what
/// it makes is thrown away.
pub(crate) fn given_up_on<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> PyResult<T> {
    let waiting = thread::current();
    let worker = thread::Builder::new().spawn(move || {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        waiting.unpark();
        done
    })?;
    while !worker.is_finished() {
        py.detach(|| thread::park_timeout(PAUSE));
        py.check_signals()?;
    }
    match worker.join() {
        Ok(Ok(done)) => Ok(done?),
        _ => Err(internal()),
    }
}

/// The message of a panic could hold a cell.
fn internal() -> PyErr {
    Failed(serde_json::json!({ "kind": "internal", "message": "internal error; please report this" })).into()
}

fn listen(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, told: &Told) -> PyResult<()> {
    py.check_signals()?;
    if let (Some(progress), Some((phase, done, all))) = (progress, told.take()) {
        progress.call1((phase.name(), done, all))?;
    }
    Ok(())
}
