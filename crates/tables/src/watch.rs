//! Progress of a run, and requests to stop it.

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading and counting the table.
    Reading,
    /// Reading and counting the population.
    ReadingPopulation,
    /// Reading the table again to count people.
    CountingPeople,
    /// Looking for the best transformation.
    Searching,
    /// Reading the table again and recoding it.
    Recoding,
    /// Writing the release.
    Writing,
    /// The independent verifier looks at the files.
    Verifying,
}

impl Phase {
    /// The phase in words.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading the table",
            Phase::ReadingPopulation => "reading the population",
            Phase::CountingPeople => "counting people",
            Phase::Searching => "searching",
            Phase::Recoding => "recoding",
            Phase::Writing => "writing",
            Phase::Verifying => "verifying",
        }
    }
}

/// Hears about progress and may stop a run between two steps.
pub trait Watch: Sync {
    /// A phase begins.
    fn begin(&self, _: Phase) {}
    /// Rows read, or nodes decided; and how many there are, where that is known.
    fn advance(&self, _: u64, _: Option<u64>) {}
    /// By how much of its loss, in percent, the best solution so far can still be beaten; called whenever that is known.
    fn gap(&self, _: f64) {}
    /// Whether to give up: nothing is written then.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Watch for Unwatched {}
