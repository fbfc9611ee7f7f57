//! Slicing a table without a database: read, examine, permute, and write a release like any other.
//!
//! ```
//! use paravent_tables::read::{Input, ReadOptions};
//! use paravent_pipeline::slice::{Buckets, CodedTable, Request, slice};
//!
//! let text = "age,sex,disease\n30,f,flu\n31,m,gout\n30,f,gout\n31,m,flu\n30,f,flu\n31,m,gout\n";
//! let table = CodedTable::read(&Input::from_bytes(text, ReadOptions::new("people.csv")))?;
//! let groups = vec![vec!["age".to_owned(), "sex".to_owned()], vec!["disease".to_owned()]];
//! let sliced = slice(&table, None, &Request { seed: Some(1), ..Request::new(groups, Buckets::Count(1)) })?;
//! assert_eq!(sliced.rows(), 6);
//! # Ok::<(), paravent_pipeline::slice::SliceError>(())
//! ```
//!
//! The way of a table: [`CodedTable`] (a code per cell, codes in the order of values) → [`slice`](fn@slice) (what [`paravent_slicing::guard`] refuses does not get
//! further) → a bare table, or [`write_release`] (manifest, report, register line, verified). [`check`] judges what somebody else sliced.

mod check;
mod destination;
mod entry;
mod error;
mod inside;
mod manifest;
mod open;
mod plan;
mod records;
mod related;
mod release;
mod request;
mod sliced;
mod table;
mod timing;
mod utility;
mod within;

pub use check::{Judgement, PairJudgement, check};
pub use destination::Destination;
pub(crate) use entry::{HeldAgainst, Leaving as LeavingTable, PlainEntry};
pub use error::SliceError;
pub use inside::{Inside, SlicedInside};
pub(crate) use manifest::output;
pub use open::{input, read_sliced_release, sliced_groups};
pub use paravent_slicing::figures::{
    Change, Compared, DependencyFigures, NumericFigures, PairFigures, SliceUtility, compare,
};
pub use paravent_tables::digest::sha256 as digest;
pub use plan::{Planned, plan};
pub use records::record_batches;
pub use related::{Related, has_registers, held_against};
pub(crate) use release::{SEEDED, listed, output_format, released, text_of, write_rows};
pub use release::{dry_run, release_document, write_release};
pub use request::{Buckets, Request};
pub(crate) use sliced::sort;
pub use sliced::{SlicedTable, slice};
pub use table::{CodedCells, CodedTable};
pub use timing::{Phases, timed};
pub use utility::numbers;

#[cfg(test)]
mod tests;
