//! What noisy answers cost: the account of a session, and in how many rows a cell stands.
//!
//! A [`Book`] is asked before anything is read or drawn for an answer. It adds up what the recipient has had so far, in every ledger that the
//! session's tables belong to, refuses what goes beyond the owner's limit, and gives a [`Grant`](paravent_noise::budget::Grant) only after the cost is on disk.

mod copies;

pub(crate) use copies::copies;
pub use paravent_ledger::{Book, BookError, Spending, spent_by};
