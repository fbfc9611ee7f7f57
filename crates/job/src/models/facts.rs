//! What a model asks about a table to become a predicate.

use super::t_closeness::Distance;
use crate::decimal::DecimalText;
use crate::problem::Problems;
use paravent_core::criteria;
use paravent_core::exact::Fraction;

/// The sensitive columns whose values a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitive<'a> {
    /// It counts rows or people only.
    None,
    /// The values of one column.
    One(&'a str),
    /// Combinations of values of several columns.
    Joint(&'a [String]),
}

impl<'a> Sensitive<'a> {
    /// Names of the columns.
    pub fn names(self) -> Vec<&'a str> {
        match self {
            Sensitive::None => Vec::new(),
            Sensitive::One(name) => vec![name],
            Sensitive::Joint(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// A table that was counted, as models see it.
pub trait TableFacts {
    /// A threshold as an exact number; `key` is its key in the model.
    ///
    /// # Errors
    /// If it has more digits than can be compared exactly.
    fn number(&self, key: &str, text: &DecimalText) -> Result<Fraction, Problems>;
    /// The position of the histogram of these columns.
    fn histogram(&self, of: Sensitive<'_>) -> usize;
    /// How often each value of a column occurs in the whole table: rows, or people where they are counted.
    fn totals(&self, attribute: &str) -> Vec<u64>;
    /// Number of different values of a column.
    fn values(&self, attribute: &str) -> usize;
    /// The code of a value that the job mentions, however it spells it.
    fn code(&self, attribute: &str, value: &str) -> Option<u32>;
    /// By joint code: the value of each column.
    fn combinations(&self, attributes: &[String]) -> Vec<Box<[u32]>>;
    /// A distance over the values of a column.
    ///
    /// # Errors
    /// If the order or the hierarchy of the column does not allow it.
    fn distance(&self, attribute: &str, distance: Distance) -> Result<criteria::Distance, Problems>;
}
