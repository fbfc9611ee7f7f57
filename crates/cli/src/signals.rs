//! Ctrl-C, once: stop and leave nothing half-written. Twice: now.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{SigSet, Signal};

static STOP: AtomicBool = AtomicBool::new(false);

/// Who started us with nohup wants a hang-up to be ignored, and handlers cannot be set one by one: a signal that is held back for good is ignored as
/// well. To be called before there are other threads, which inherit it.
pub fn keep_ignored() {
    if hangup_is_ignored() {
        let mut held_back = SigSet::empty();
        held_back.add(Signal::SIGHUP);
        let _ = held_back.thread_block();
    }
}

/// Turns interrupt, termination and hang-up into a flag, whatever was inherited. For commands that look at it; others end at once, as
/// programs do.
pub fn install() {
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        if crate::somebody_watches() {
            let _ = writeln!(std::io::stderr(), "\nstopping; press Ctrl-C again to end at once");
        }
    };
    // Without a handler an interrupt ends the program, which is safe as well: a release appears at once or not at all.
    let _ = ctrlc::set_handler(handler);
}

/// Whether a stop was requested.
pub fn stop() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// `SigIgn` is a mask of ignored signals; the lowest bit is signal 1, hang-up. Elsewhere than on Linux: not known, so no.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
