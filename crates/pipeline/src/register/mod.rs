//! The register of releases: a log beside the job file that knows what was released before.
//!
//! One line per release, each with the hash of the line before it, so that a line that was changed, removed or moved shows. A line is written
//! *before* its release appears: there is no release without a line, and a run that was killed in between leaves a line without a release, which
//! [`verify`] explains and the next run settles. Lines hold digests, names of columns and numbers; no cell. The rows of the input are represented by a [`Sketch`],
//! which tells how many rows two tables share and next to nothing about any one of them.

mod beside;
mod chain;
mod compare;
mod entry;
mod error;
mod eyes;
mod file;
mod line;
mod people;
mod sketch;
mod state;
mod strangers;
mod temporal;
#[cfg(test)]
mod tests;
mod witness;

pub(crate) use beside::{Beside, others, seen_from as seen_from_folder};
pub use chain::{Chain, ReleaseLog};
pub(crate) use compare::same_people;
pub use entry::{Announced, Entry};
pub(crate) use entry::{files, seen_from};
pub use error::RegisterError;
pub use file::{FILE_NAME, Register};
pub use line::{Criterion, InputRecord, JobRecord, Line, Record, ReleaseRecord};
pub use paravent_ledger::log::{Broken, Chained, Log};
pub use paravent_report::{EarlierRelease, Relation, Shared};
pub(crate) use people::Gathering;
pub use people::PeopleSketch;
pub use sketch::{Overlap, Salt, Sketch};
pub(crate) use sketch::{Sketching, row};
pub(crate) use state::chain_id;
pub use state::{Finding, ReleaseState, Verified, verify};
pub(crate) use strangers::{Kinds, are_others, are_strangers};
