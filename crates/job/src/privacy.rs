//! `[privacy]`: what is promised.

use super::decimal::DecimalText;
use super::models::{Model, Population};
use super::names::names;

/// The promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privacy {
    /// Share of rows that may be suppressed, 0 ≤ s ≤ 1; 1 is as many as it takes, but never all.
    pub suppression_limit: DecimalText,
    /// All of them must hold; not empty.
    pub models: Vec<Model>,
    /// The columns that together say whose row it is: one key, composite if there are several. Empty: a row is a
    /// person.
    pub person: Vec<String>,
    /// What becomes of the other rows of a person who loses one.
    pub person_rows: PersonRows,
    /// Most quasi-identifiers of a person that anybody knows; `None`: all of them. At least 1.
    pub most_known: Option<u32>,
    /// The owner's limit for everything that noisy answers give away together.
    pub budget: Option<BudgetLimit>,
}

/// `person_rows`: what becomes of the other rows of a person who loses one, and which rows are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PersonRows {
    /// Rows are kept or left out class by class.
    #[default]
    Apart,
    /// Whoever loses a row loses all of them.
    Together,
    /// The same, and people are alike only if the bags of their released rows are equal.
    Set,
}
names!(PersonRows { Apart: "apart", Together: "together", Set: "set" });

/// `budget = { epsilon = "1", delta = "1e-6" }`: what all noisy answers to one recipient may cost in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetLimit {
    /// ε > 0.
    pub epsilon: DecimalText,
    /// 0 ≤ δ < 1.
    pub delta: DecimalText,
}

impl Privacy {
    /// The one population of the job, if a model counts in one.
    pub fn population(&self) -> Option<&Population> {
        self.models.iter().find_map(Model::population)
    }
}
