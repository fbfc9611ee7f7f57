//! Progress of a benchmark, and requests to stop it.

use paravent_pipeline::watch::Watch;

/// Hears about progress, and may stop a benchmark at any time.
pub trait Audience: Sync {
    /// A data set is being read or made.
    fn reading(&self, _dataset: &str) {}
    /// A case begins: the how-manieth of how many.
    fn case(&self, _position: usize, _of: usize, _label: &str) {}
    /// An algorithm starts its n-th run of a case; 0 is a warm-up.
    fn run(&self, _algorithm: &str, _repetition: usize) {}
    /// Whether to give up: nothing is written then.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Audience for Nobody {}

/// Passes on the wish to stop and nothing else.
pub(crate) struct StopOnly<'a>(pub(crate) &'a dyn Audience);

impl Watch for StopOnly<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
}
