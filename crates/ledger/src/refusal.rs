//! Why nothing may be drawn.

use super::LedgerError;
use paravent_noise::budget::BudgetError;
use std::path::PathBuf;

/// Why a book gives no permission. No variant depends on cells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Nothing was asked for, or what was asked for is no budget.
    #[error(transparent)]
    Budget(BudgetError),
    /// More than is left.
    #[error("{refused}. {place}")]
    Overspent {
        /// What was asked for, and what is left.
        refused: BudgetError,
        /// Where the owner sets the limit.
        place: &'static str,
    },
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] LedgerError),
    /// A line of the file has a cost that is no number.
    #[error("{}:{line}: the cost in this line of the ledger cannot be read, so nothing more is granted", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A table that came from nowhere has no ledger beside it.
    #[error(
        "a table from standard input has no ledger beside it, and without a ledger nothing noisy is answered; name one with --ledger FILE"
    )]
    Nowhere,
    /// No number bounds what it tells.
    #[error(
        "{label}: no ε bounds what this noise gives away ({why}), so it cannot be charged. Choose noise that bounds it; an owner who accepts that says so with --allow-unbounded"
    )]
    Unbounded {
        /// What was asked for.
        label: String,
        /// Why there is no bound.
        why: String,
    },
    /// The limit belongs to the owner.
    #[error("the budget can only be lowered: {asked} is more than the limit of {limit}. {place}")]
    AboveLimit {
        /// What was asked for.
        asked: String,
        /// The owner's limit.
        limit: String,
        /// Where the owner says it.
        place: &'static str,
    },
}
