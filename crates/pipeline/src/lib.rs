//! From a job file to a verified release.

pub mod job;
pub mod read;
pub mod write;
