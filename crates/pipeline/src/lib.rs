//! From a job file to a verified release.
//!
//! The whole way in one call:
//!
//! ```no_run
//! use paravent_pipeline::run::{RunOptions, anonymize};
//! use paravent_pipeline::watch::Unwatched;
//!
//! let finished = anonymize("paravent.toml".as_ref(), &RunOptions::default(), &Unwatched)?;
//! println!("{} rows suppressed", finished.document.solution.suppressed_rows);
//! # Ok::<(), paravent_pipeline::run::RunError>(())
//! ```
//!
//! On the way: [`job`] reads the job file, [`read`] the table, [`encode`] turns cells into counted codes, [`hierarchies`] and [`study`] prepare
//! the search, [`release`] recodes, [`register`] remembers, [`write`](mod@write) puts files in place, [`report`] describes them.
//! [`ledger`] keeps what noisy answers have cost. [`joint`] writes what several parties made together, [`mod@slice`] what is
//! permuted instead of generalized.

pub mod check;
pub mod demo;
pub mod encode;
pub mod evidence;
pub mod hierarchies;
pub mod init;
pub mod job;
pub mod joint;
pub mod ledger;
pub mod missing_words;
pub mod read;
pub mod register;
pub mod release;
mod repeated;
pub mod report;
pub mod run;
pub mod slice;
pub mod spill;
pub mod study;
pub mod threads;
pub mod watch;
pub mod write;
