//! `--log FILE`: what happened and when, a JSON document per line. For those who run jobs at night.
//!
//! No cell is in it: messages name places. Where `--show-values` lets messages quote cells, they are left out of the log.

use crate::answer::{Answer, Exit};
use crate::failure::Failure;
use paravent_pipeline::ledger::log::now;
use paravent_pipeline::watch::Phase;
use serde_json::{Map, Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

struct Log {
    file: Mutex<File>,
    started: Instant,
}

static LOG: OnceLock<Log> = OnceLock::new();

/// Lines go to this file from now on, below those that are there.
pub fn open(path: &Path) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| {
        Failure::input_output(format!("{}: the log cannot be written: {error}", path.display()))
    })?;
    let _ = LOG.set(Log { file: Mutex::new(file), started: Instant::now() });
    Ok(())
}

/// A command begins.
pub fn began(command: &str) {
    line("began", [("command", json!(command)), ("paravent", json!(env!("CARGO_PKG_VERSION")))]);
}

/// A run comes to its next phase.
pub fn phase(phase: Phase) {
    line("phase", [("phase", json!(phase.name()))]);
}

/// A command has ended.
pub fn ended(outcome: &Result<Answer, Failure>) {
    let quotes_cells = std::env::args_os().any(|arg| arg == "--show-values");
    let mut facts = Map::new();
    let exit = match outcome {
        Ok(answer) => {
            for key in ["job_sha256", "output", "warnings"] {
                facts.extend(answer.json.get(key).map(|value| (key.to_owned(), value.clone())));
            }
            answer.exit
        }
        Err(failure) => {
            facts.insert("error".into(), json!(failure.kind()));
            if !quotes_cells {
                facts.insert("message".into(), json!(failure.message()));
            }
            failure.exit()
        }
    };
    let seconds = LOG.get().map_or(0.0, |log| log.started.elapsed().as_secs_f64());
    let figures = [("exit", json!(Exit::code(exit))), ("seconds", json!(seconds))];
    line("ended", figures.into_iter().chain(facts.iter().map(|(key, value)| (key.as_str(), value.clone()))));
}

/// A log that cannot be written any more is no reason to stop a run.
fn line<'k>(event: &str, facts: impl IntoIterator<Item = (&'k str, Value)>) {
    let Some(log) = LOG.get() else { return };
    let mut entry = Map::new();
    entry.insert("time".into(), json!(now()));
    entry.insert("event".into(), json!(event));
    entry.extend(facts.into_iter().map(|(key, value)| (key.to_owned(), value)));
    let text = format!("{}\n", Value::Object(entry));
    if let Ok(mut file) = log.file.lock() {
        let _ = file.write_all(text.as_bytes());
    }
}
