//! The ledger of a data set on disk: what noisy answers have cost so far, for each recipient.
//!
//! A file of JSON lines beside the job file (`paravent.toml` → `paravent.ledger.jsonl`) or, without a job, beside the table. Each line has the hash
//! of the line before it, as in the register of releases ([`log`]). One process at a time adds to it, by a lock on the file. A grant is on disk before
//! it is given: whoever is killed afterwards has paid, whether or not anything was drawn.
//!
//! **Which data set.** The file is the data set. Its lines are not tied to the content of a table, because the people stay the same when a table
//! changes, and a row that is added must not give the budget back.
//!
//! **A line that is not whole.** A grant is given only after its line is on disk as a whole. A last line without an end is therefore a grant that was
//! not given, or a line that somebody cut. Nobody can tell which, so nothing more is granted until the owner says what it counts as
//! ([`Torn::mend`]); nothing is ever taken out of the file.
//!
//! **What it cannot do.** Whoever can write the file can remove its last lines, or all of it: a chain of hashes shows that only to somebody who has kept
//! the hash of a later line. The ledger keeps honest people from overspending. It is no lock on a table that they can read.
//!
//! The file knows costs as text. A [`Book`] adds them up exactly (`paravent-noise`), for one recipient and over all ledgers that are concerned, refuses
//! what goes beyond the owner's limit, and gives a permission to draw when the cost is on disk.

mod book;
mod error;
mod file;
pub mod log;
mod record;
mod refusal;
mod spending;
#[cfg(test)]
mod tests;

pub use book::{Book, Receipt};
pub use error::LedgerError;
pub use file::{LedgerFile, Torn};
pub use record::{Limit, Paid, Record};
pub use refusal::BookError;
pub use spending::{Spending, spent_by};
