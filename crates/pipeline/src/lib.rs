//! From a job file to a verified release.
//!
//! The whole way in one call:
//!
//! ```no_run
//! use paravent_pipeline::run::{RunOptions, anonymize};
//! use paravent_tables::watch::Unwatched;
//!
//! let finished = anonymize("paravent.toml".as_ref(), &RunOptions::default(), &Unwatched)?;
//! println!("{} rows suppressed", finished.document.solution.suppressed_rows);
//! # Ok::<(), paravent_pipeline::run::RunError>(())
//! ```
//!
//! On the way: [`job`] reads the job file, [`read`] the table, [`encode`] turns cells into counted codes, [`hierarchies`] and [`study`] prepare
//! the search, [`release`] recodes, [`register`] remembers, [`write`](mod@write) puts files in place, [`report`] describes them.
//! [`ledger`] keeps what noisy answers have cost. [`mod@slice`] writes what is
//! permuted instead of generalized, [`mod@noise`] what is drawn for.

pub mod answer;
pub mod demo;
mod error;
pub mod files;
pub mod noise;
pub mod register;
pub mod release;
pub mod run;
pub mod slice;

pub use paravent_assess as evidence;
pub use paravent_assess::{check, init};
pub use paravent_job as job;
pub use paravent_ledger as ledger;
pub use paravent_prepare::{hierarchies, study, threads};
pub use paravent_report as report;
pub use paravent_tables::{encode, missing_words, read, spill, watch, write};
