//! What noisy answers are paid from.

use paravent_pipeline::job::Job;
use paravent_pipeline::ledger::Book;
use std::path::PathBuf;

/// The ledger, who is asking, and how much of the owner's limit is used.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Spending {
    /// Spend at most so much, all noisy answers together: EPSILON or EPSILON,DELTA; not more than the owner allows [default: what `budget` in the job says, else 1,0.000001]
    #[arg(long, value_name = "EPSILON[,DELTA]")]
    pub budget: Option<String>,
    /// The ledger of noisy answers [default: beside the job, else beside each table]
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Who gets the answers; every recipient has a limit of their own
    #[arg(long, value_name = "NAME", default_value = Book::ANYONE)]
    pub recipient: Option<String>,
    /// Let noise pass that no ε bounds: the owner's word
    #[arg(long)]
    pub allow_unbounded: bool,
}

impl Spending {
    /// The account that answers are paid from.
    pub fn book(&self, job: Option<&Job>) -> Book {
        let book = Book::on_disk(self.ledger.as_deref(), job);
        let book = book.towards(self.recipient.as_deref().unwrap_or(Book::ANYONE));
        if self.allow_unbounded { book.allowing_unbounded() } else { book }
    }

    /// ε and δ of `--budget`.
    pub fn lowered(&self) -> Option<(&str, Option<&str>)> {
        let budget = self.budget.as_deref()?;
        Some(match budget.split_once(',') {
            Some((epsilon, delta)) => (epsilon, Some(delta)),
            None => (budget, None),
        })
    }
}
