//! From a job file to a verified release.

pub mod encode;
pub mod hierarchies;
pub mod job;
pub mod read;
pub mod report;
pub mod write;
