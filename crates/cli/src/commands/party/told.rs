//! How far a joint run has come, on stderr.

use crate::layout::counted;
use crate::signals;
use paravent_federation::transport::Observer;
use paravent_federation::{PartyId, Phase, Watch};
use std::io::Write;
use std::time::{Duration, Instant};

/// Progress on stderr, a line per phase, and from time to time one within it.
pub struct Told {
    names: Vec<String>,
    quiet: bool,
    last: Option<Phase>,
    /// Messages taken in within the phase.
    steps: u64,
    spoken: Instant,
}

/// Between two lines of the same phase.
const SILENCE: Duration = Duration::from_secs(10);

impl Told {
    /// For parties with these names.
    pub fn new(names: Vec<String>, quiet: bool) -> Told {
        Told { names, quiet, last: None, steps: 0, spoken: Instant::now() }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            // Nobody has to listen.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

impl Watch for Told {
    fn begins(&mut self, phase: Phase) {
        if self.last.replace(phase) != Some(phase) {
            (self.steps, self.spoken) = (0, Instant::now());
            self.say(&format!("phase: {}", phase.name()));
            return;
        }
        self.steps += 1;
        if self.spoken.elapsed() >= SILENCE {
            self.spoken = Instant::now();
            self.say(&format!("phase: {}, {}", phase.name(), counted(self.steps, "message")));
        }
    }
}

impl Observer for Told {
    fn connected(&mut self, party: PartyId) {
        self.say(&format!("connected: {}", self.names.get(usize::from(party.0)).map_or("", String::as_str)));
    }

    fn left(&mut self, party: PartyId) {
        let name = self.names.get(usize::from(party.0)).map_or("", String::as_str);
        self.say(&format!("left: {name}; waiting for it to come back"));
    }

    fn waits(&mut self) {
        self.say("done here; waiting for the others");
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}
