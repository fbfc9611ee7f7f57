//! The attacks, run against a release on disk.
//!
//! What can be run depends on what the attacker is given: the release alone, the original to judge by, a list with names, a control
//! group, earlier releases, a population. What cannot be run is listed with what it would need.

mod below;
mod boxes;
mod distinct;
mod document;
mod error;
mod given;
mod labels;
mod manifest;
mod moments;
mod named;
mod numbers;
mod options;
mod original;
mod pairs;
mod placing;
mod previous;
mod project;
mod run;
mod secrets;
#[cfg(test)]
mod table_tests;
mod tables;
#[cfg(test)]
mod tests;
mod without_release;

pub use document::outcome as outcome_document;
pub use document::{document, trials};
pub use error::AttackError;
pub use options::{AttackOptions, Noise, Similar, Sliced};
pub(crate) use project::label_around;
pub use run::{Attacked, NotRun, attack};
