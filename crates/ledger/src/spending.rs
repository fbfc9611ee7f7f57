//! What each recipient has had, according to a ledger file.

use super::{BookError, Record};
use crate::log::Log;
use paravent_noise::budget::{Cost, Entry};
use std::path::Path;

/// What one recipient has had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// Who.
    pub recipient: String,
    /// Every grant, in order.
    pub entries: Vec<Entry>,
    /// Draws that no ε bounds.
    pub unbounded: u64,
}

impl Spending {
    /// The sum.
    pub fn spent(&self) -> Cost {
        Cost::sequential(self.entries.iter().map(|entry| &entry.cost))
    }

    /// All recipients of a ledger, in the order of their first grant.
    ///
    /// # Errors
    /// If a cost is no number.
    pub fn of(log: &Log<Record>, path: &Path) -> Result<Vec<Spending>, BookError> {
        let mut all: Vec<Spending> = Vec::new();
        for (number, line) in (1..).zip(&log.lines) {
            if let Some(paid) = line.record.paid() {
                let cost = Cost::read_back(&paid.epsilon, &paid.delta)
                    .map_err(|_| BookError::Unreadable { path: path.to_owned(), line: number })?;
                let entry = Entry { label: paid.label.clone(), cost };
                place(&mut all, &paid.recipient).entries.push(entry);
            }
            if let Record::Unbounded { recipient, .. } = &line.record {
                place(&mut all, recipient).unbounded += 1;
            }
        }
        Ok(all)
    }
}

fn place<'a>(all: &'a mut Vec<Spending>, recipient: &str) -> &'a mut Spending {
    let found = all.iter().position(|one| one.recipient == recipient).unwrap_or_else(|| {
        all.push(Spending { recipient: recipient.to_owned(), entries: Vec::new(), unbounded: 0 });
        all.len() - 1
    });
    &mut all[found]
}

/// What a recipient has had, and nothing where there was none.
///
/// # Errors
/// If a cost is no number.
pub fn spent_by(recipient: &str, log: &Log<Record>, path: &Path) -> Result<Vec<Entry>, BookError> {
    let found = Spending::of(log, path)?.into_iter().find(|one| one.recipient == recipient);
    Ok(found.map(|one| one.entries).unwrap_or_default())
}
