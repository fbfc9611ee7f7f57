//! What noisy answers cost: exact sums over the ledger files of the data sets, and permissions to draw.
//!
//! A [`Book`] is asked before anything is read or drawn for an answer. It adds up what the recipient has had so far, in every ledger that the
//! session's tables belong to, refuses what goes beyond the owner's limit, and gives a [`Grant`](paravent_noise::budget::Grant) only after the cost is on disk.

mod book;
mod copies;
mod error;
mod spending;

pub use book::Book;
pub(crate) use copies::copies;
pub use error::BookError;
pub use spending::{Spending, spent_by};
