//! What a line of a ledger says. No cell, no statement: both may hold what nobody else should read.

use crate::log::Chained;
use serde::{Deserialize, Serialize};

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The ledger was started.
    Ledger {
        /// Version of the format.
        format: u32,
        /// Version of the program.
        paravent: String,
        /// What the owner allows each recipient where no job says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<Limit>,
    },
    /// Something was paid for.
    Grant(Paid),
    /// Something was drawn for which no ε can be told; the owner let it pass.
    Unbounded {
        /// Who has it.
        recipient: String,
        /// What it was.
        label: String,
    },
    /// The line before this one had no end. The owner says what it counts as.
    Torn {
        /// The bytes of the line that is not whole, as text where they are text.
        found: String,
        /// What they are counted as.
        counted: Paid,
    },
}

/// A cost and who has what it paid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// Who has the answer.
    pub recipient: String,
    /// ε, exactly: a decimal or a fraction.
    pub epsilon: String,
    /// δ, exactly.
    pub delta: String,
    /// What it was, in words that everybody may read.
    pub label: String,
}

/// What one recipient may spend in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// ε
    pub epsilon: String,
    /// δ
    pub delta: String,
}

impl Record {
    /// What was paid, and by whom.
    pub fn paid(&self) -> Option<&Paid> {
        match self {
            Record::Grant(paid) | Record::Torn { counted: paid, .. } => Some(paid),
            Record::Ledger { .. } | Record::Unbounded { .. } => None,
        }
    }
}

impl Chained for Record {
    const MISSING_START: &'static str = "the first line, which starts the ledger, is missing";
    const STARTS_AGAIN: &'static str = "the ledger starts again in the middle";

    fn starts(&self) -> bool {
        matches!(self, Record::Ledger { format: 1, .. })
    }
}
