//! Work that takes a while: a thread per run, progress for whoever listens, and a way to stop.

use crate::fault::Fault;
use crate::wire::{PointView, ProgressView, RunEvent, RunState, RunView};
use paravent_tables::watch::{Phase, Watch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Runs whose results are kept.
const MOST_KEPT: usize = 32;
/// Runs that may go on at the same time.
const MOST_AT_ONCE: usize = 8;

/// All runs.
#[derive(Debug, Default)]
pub struct Runs {
    runs: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    next: u64,
    runs: BTreeMap<u64, Arc<Run>>,
}

/// One run.
#[derive(Debug)]
pub struct Run {
    id: u64,
    kind: &'static str,
    stop: AtomicBool,
    changed: watch::Sender<u64>,
    ended: watch::Sender<bool>,
    inner: Mutex<Inner>,
}

struct Inner {
    progress: ProgressView,
    state: RunState,
    result: Value,
    fault: Option<Fault>,
    points: Vec<PointView>,
}

/// Results hold labels; nobody reads them in a log.
impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runs {
    /// Starts a run on a thread of its own. A run of the same kind that still goes on is stopped: its answer is no longer asked for.
    ///
    /// # Errors
    /// If too many go on, or the system makes no thread.
    pub fn start(
        &self,
        kind: &'static str,
        work: impl FnOnce(&Run) -> Result<Value, Fault> + Send + 'static,
    ) -> Result<Arc<Run>, Fault> {
        let run = {
            let mut kept = lock(&self.runs);
            kept.runs.values().filter(|run| run.kind == kind).for_each(|run| run.stop());
            if kept.runs.values().filter(|run| run.is_running()).count() >= MOST_AT_ONCE {
                return Err(Fault::conflict("too much is going on").advise("Wait, or stop something"));
            }
            while kept.runs.len() >= MOST_KEPT {
                let Some(oldest) = kept.runs.values().find(|run| !run.is_running()).map(|run| run.id) else {
                    break;
                };
                kept.runs.remove(&oldest);
            }
            kept.next += 1;
            let run = Arc::new(Run::new(kept.next, kind));
            kept.runs.insert(run.id, run.clone());
            run
        };
        let worker = run.clone();
        let spawned = std::thread::Builder::new().name(format!("run {}", run.id)).spawn(move || {
            // A panic is our bug; the page is told that there was one, and nothing else.
            let result =
                catch_unwind(AssertUnwindSafe(|| work(&worker))).unwrap_or_else(|_| Err(Fault::internal()));
            worker.end(result);
        });
        match spawned {
            Ok(_) => Ok(run),
            Err(error) => Err(Fault::input_output(format!("the system makes no thread: {error}"))),
        }
    }

    /// The run of that number.
    pub fn get(&self, id: u64) -> Option<Arc<Run>> {
        lock(&self.runs).runs.get(&id).cloned()
    }

    /// Asks all to stop.
    pub fn stop_all(&self) {
        lock(&self.runs).runs.values().for_each(|run| run.stop());
    }

    /// Whether any still goes on.
    pub fn any_running(&self) -> bool {
        lock(&self.runs).runs.values().any(|run| run.is_running())
    }
}

impl Run {
    fn new(id: u64, kind: &'static str) -> Run {
        let progress = ProgressView { phase: String::new(), done: 0, total: None, gap: None };
        let inner = Inner {
            progress,
            state: RunState::Running,
            result: Value::Null,
            fault: None,
            points: Vec::new(),
        };
        Run {
            id,
            kind,
            stop: AtomicBool::new(false),
            changed: watch::channel(0).0,
            ended: watch::channel(false).0,
            inner: Mutex::new(inner),
        }
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Asks it to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    fn is_running(&self) -> bool {
        lock(&self.inner).state == RunState::Running
    }

    fn end(&self, result: Result<Value, Fault>) {
        self.change(|inner| match result {
            Ok(result) => (inner.state, inner.result) = (RunState::Done, result),
            Err(fault) => (inner.state, inner.fault) = (RunState::Failed, Some(fault)),
        });
        self.ended.send_replace(true);
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut lock(&self.inner));
        self.changed.send_modify(|version| *version += 1);
    }

    /// Points for the picture of all transformations.
    pub fn points(&self, points: Vec<PointView>) {
        self.change(|inner| inner.points.extend(points));
    }

    /// What it is doing, where no library says so.
    pub fn phase(&self, phase: &str) {
        let phase = phase.to_owned();
        self.change(|inner| inner.progress = ProgressView { phase, done: 0, total: None, gap: None });
    }

    /// Hears of every change.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Returns as soon as it has ended.
    pub async fn wait(&self) {
        let mut ended = self.ended.subscribe();
        // The sender is here, so waiting cannot fail.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// The run as it is now.
    pub fn view(&self) -> RunView {
        self.event(usize::MAX).run
    }

    /// The run as it is now, and the points from that number on.
    pub fn event(&self, from: usize) -> RunEvent {
        let inner = lock(&self.inner);
        let run = RunView {
            id: self.id,
            state: inner.state,
            progress: inner.progress.clone(),
            result: inner.result.clone(),
            fault: inner.fault.as_ref().map(|fault| (*fault.view).clone()),
        };
        RunEvent { run, points: inner.points.get(from..).unwrap_or_default().to_vec() }
    }
}

impl Watch for Run {
    fn begin(&self, phase: Phase) {
        self.phase(phase.name());
    }

    fn advance(&self, done: u64, total: Option<u64>) {
        self.change(|inner| (inner.progress.done, inner.progress.total) = (done, total));
    }

    fn gap(&self, gap: f64) {
        if gap.is_finite() {
            self.change(|inner| inner.progress.gap = Some(gap));
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn wait(run: &Run) -> RunView {
        loop {
            let view = run.view();
            if view.state != RunState::Running {
                return view;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_run_ends_with_its_result_or_its_fault() {
        let runs = Runs::default();
        let done = runs.start("a", |_| Ok(Value::from(7))).unwrap();
        assert_eq!(wait(&done).result, Value::from(7));
        let failed = runs.start("a", |_| Err(Fault::request("no"))).unwrap();
        assert_eq!(wait(&failed).fault.unwrap().message, "no");
        let bug = runs.start("a", |_| panic!("a cell")).unwrap();
        let fault = wait(&bug).fault.unwrap();
        assert!(!fault.message.contains("cell") && !runs.any_running());
    }

    #[test]
    fn the_next_of_a_kind_stops_the_one_before() {
        let runs = Runs::default();
        let (send, receive) = channel::<()>();
        let first = runs
            .start("a", move |run| {
                let _ = receive.recv();
                if Watch::stop(run) { Err(Fault::stopped()) } else { Ok(Value::Null) }
            })
            .unwrap();
        let other = runs.start("b", |run| Ok(Value::from(Watch::stop(run)))).unwrap();
        runs.start("a", |_| Ok(Value::Null)).unwrap();
        send.send(()).unwrap();
        assert_eq!(wait(&first).fault.unwrap().kind, crate::wire::FaultKind::Stopped);
        assert_eq!(wait(&other).result, Value::from(false));
    }
}
