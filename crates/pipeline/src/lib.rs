//! From a job file to a verified release.
//!
//! In memory, from a table of text or of Arrow record batches:
//!
//! ```
//! use paravent_pipeline::{Table, anonymize};
//! use paravent_pipeline::job::Job;
//!
//! let text = r#"
//! version = 1
//! input.path = "-"
//! attributes = [
//!     { name = "zip", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } },
//!     { name = "disease", role = "sensitive" },
//! ]
//! privacy.models = [{ model = "k-anonymity", k = 2 }]
//! "#;
//! let job = Job::parse(text, "paravent.toml".as_ref())?;
//! let column = |cells: [&str; 4]| cells.map(|cell| Some(cell.to_owned())).to_vec();
//! let table = Table::from_text([
//!     ("zip", column(["81667", "81668", "81545", "81546"])),
//!     ("disease", column(["flu", "gout", "flu", "flu"])),
//! ])?;
//!
//! let release = anonymize(&job, table)?;
//! assert_eq!(release.document().solution.transformation["zip"], 1);
//! assert_eq!((release.rows(), release.batches()?[0].num_columns()), (4, 2));
//! assert!(release.verification().holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From files, the same:
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
pub mod choose;
pub mod curve;
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
pub use paravent_tables::read::Table;
pub use paravent_tables::{encode, engine, missing_words, read, spill, watch, write};
pub use run::Release;

use paravent_job::Job;
use run::{Held, RunError, anonymize_table};
use watch::Unwatched;

/// Anonymizes a table in memory. [`run::anonymize_table`] does the same with options, and tells how far it has come.
///
/// # Errors
/// If the job does not fit the table, or no transformation keeps its promises: [`RunError::Infeasible`] says what would.
pub fn anonymize(job: &Job, table: Table) -> Result<Release, RunError> {
    anonymize_table(job, table, &Held::default(), &Unwatched)
}
