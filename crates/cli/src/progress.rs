//! Progress of a run, on stderr.

use crate::{log, signals, somebody_watches};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use paravent_bench::audience::Audience;
use paravent_pipeline::watch::{Phase, Watch};
use std::time::Duration;

const SPINNER: &str = "{spinner} {msg}";
const ROWS: &str = "{spinner} {msg}  {human_pos} rows";
const BAR: &str = "{spinner} {msg}  [{bar:24}] {human_pos} of {human_len} {prefix}";

/// A spinner while the end is not known, a bar once it is. Nothing in a pipe.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Also listens to Ctrl-C from here on.
    pub fn start(quiet: bool) -> Progress {
        Progress { bar: bar(quiet) }
    }

    /// For commands that write nothing and do not look up all the time: a signal ends them at once, as it ends any program.
    pub fn without_signals(quiet: bool) -> Progress {
        Progress { bar: plain_bar(quiet) }
    }

    fn dress(&self, template: &str) {
        dress(&self.bar, template);
    }
}

/// A bar that only people see; also listens to Ctrl-C from here on.
fn bar(quiet: bool) -> ProgressBar {
    signals::install();
    plain_bar(quiet)
}

fn plain_bar(quiet: bool) -> ProgressBar {
    let bar = if quiet || !somebody_watches() {
        ProgressBar::hidden()
    } else {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
    };
    dress(&bar, SPINNER);
    bar
}

fn dress(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Watch for Progress {
    fn begin(&self, phase: Phase) {
        log::phase(phase);
        if self.bar.is_hidden() {
            return;
        }
        let (template, unit) = match phase {
            Phase::Reading | Phase::ReadingPopulation | Phase::CountingPeople | Phase::Recoding => {
                (ROWS, "rows")
            }
            Phase::Searching => (SPINNER, "transformations"),
            Phase::Writing | Phase::Verifying => (SPINNER, ""),
        };
        self.dress(template);
        self.bar.set_message(phase.name());
        self.bar.set_prefix(unit);
        self.bar.unset_length();
        self.bar.reset();
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn advance(&self, position: u64, length: Option<u64>) {
        if self.bar.is_hidden() {
            return;
        }
        if length.is_some() && self.bar.length() != length {
            self.bar.set_length(length.unwrap_or_default());
            self.dress(BAR);
        }
        self.bar.set_position(position);
    }

    fn gap(&self, percent: f64) {
        if !self.bar.is_hidden() {
            self.bar.set_message(format!(
                "{}, at most {percent:.1} % above the best possible",
                Phase::Searching.name()
            ));
        }
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The same for a benchmark: which case, and which run of it.
pub struct BenchProgress {
    bar: ProgressBar,
}

impl BenchProgress {
    /// Also listens to Ctrl-C from here on.
    pub fn start(quiet: bool) -> BenchProgress {
        let bar = bar(quiet);
        dress(&bar, "{spinner} {prefix}{msg}  {elapsed}");
        // A thread that draws would be measured with the rest: once a second is enough.
        bar.enable_steady_tick(Duration::from_secs(1));
        BenchProgress { bar }
    }
}

impl Audience for BenchProgress {
    fn reading(&self, dataset: &str) {
        self.bar.set_prefix("");
        self.bar.set_message(format!("reading {dataset}"));
    }

    fn case(&self, position: usize, of: usize, label: &str) {
        self.bar.set_prefix(format!("{position} of {of}: {label}  "));
        self.bar.set_message("");
    }

    fn run(&self, algorithm: &str, repetition: usize) {
        let which = if repetition == 0 { "warm-up".to_owned() } else { format!("run {repetition}") };
        self.bar.set_message(format!("{algorithm}, {which}"));
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}

impl Drop for BenchProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
