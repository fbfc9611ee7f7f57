//! Whether the observer asked to stop.

use crate::search::{Flow, Observer, Progress};

/// Asked inside long loops. What was found so far is then thrown away, so that a result never depends on it.
#[derive(Clone, Copy)]
pub(super) struct Stopping<'a>(pub(super) &'a (dyn Fn() -> bool + Sync));

impl Stopping<'_> {
    /// Nobody asks.
    pub(super) const NEVER: Stopping<'static> = Stopping(&|| false);

    pub(super) fn asked(self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Stopping<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stopping")
    }
}

impl Observer for Stopping<'_> {
    fn after_check(&self, _: &Progress) -> Flow {
        if self.asked() { Flow::Stop } else { Flow::Continue }
    }
}
