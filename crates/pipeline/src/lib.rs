//! From a job file to a verified release.

pub mod check;
pub mod encode;
pub mod hierarchies;
pub mod init;
pub mod job;
pub mod read;
pub mod release;
pub mod report;
pub mod run;
pub mod study;
pub mod watch;
pub mod write;
