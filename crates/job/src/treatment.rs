//! Treatments of cells: rounding, top and bottom coding, microaggregation, pseudonyms, and the sample of rows.

use std::path::PathBuf;

use super::decimal::DecimalText;
use super::names::names;

/// What is done to the cells of a column, besides generalization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Treatments {
    /// Numbers are rounded to a multiple of this, above 0.
    pub round: Option<DecimalText>,
    /// Bottom coding: smaller numbers become this one.
    pub bottom: Option<DecimalText>,
    /// Top coding: larger numbers become this one.
    pub top: Option<DecimalText>,
    /// Of a numeric quasi-identifier: what a class shows instead of a label.
    pub aggregate: Option<Aggregate>,
    /// Of an identifier: a keyed pseudonym is released instead of it.
    pub pseudonym: Option<Pseudonym>,
}

/// Microaggregation: what all rows of a class show of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// The arithmetic mean.
    Mean,
    /// The middle number; of two, the smaller.
    Median,
    /// From the smallest to the largest.
    Interval,
}
names!(Aggregate { Mean: "mean", Median: "median", Interval: "interval" });

/// Keyed, stable pseudonyms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pseudonym {
    /// The file with the key.
    pub key: PathBuf,
}

/// A random sample of the table, drawn before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// With which probability a row stays, or a person where the job says whose row it is; 0 < share < 1.
    pub share: DecimalText,
    /// What the draws depend on.
    pub source: SampleSource,
}

/// What the draws of a sample depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SampleSource {
    /// The secret in a file: nobody else can tell who is in the sample.
    Key(PathBuf),
    /// A number that everybody may know, so that everybody may repeat the draw.
    Seed(u64),
}

impl Treatments {
    /// Whether nothing is done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether numbers are changed before anything else.
    pub fn changes_numbers(&self) -> bool {
        self.round.is_some() || self.bottom.is_some() || self.top.is_some()
    }
}
