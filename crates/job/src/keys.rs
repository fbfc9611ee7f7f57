//! What a list of keys is made of.
//!
//! Each section's file lists its keys: name, what it says, what it takes. The parser refuses what is not listed, and the JSON Schema is
//! made from the same lists, so the two cannot drift apart. Keys of the privacy models are on their cards.

use crate::names::Named;

/// A key of a section.
#[derive(Debug)]
pub struct Key {
    pub(crate) name: &'static str,
    /// In one sentence, without a full stop.
    pub(crate) says: &'static str,
    pub(crate) takes: Takes,
    pub(crate) required: bool,
}

/// What can be written behind a key.
#[derive(Debug)]
pub enum Takes {
    /// A text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A whole number in a range.
    Whole(u64, u64),
    /// A number from 0 on.
    Size,
    /// A decimal, perhaps in quotes.
    Decimal,
    /// A value of a cell, with or without quotes.
    Cell,
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// A list of such.
    List(&'static Takes),
    /// One or the other.
    Either(&'static [Takes]),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table whose keys are free.
    Named(&'static Takes),
    /// A hierarchy of a job.
    Hierarchy,
    /// Groups of values of a job.
    Groups,
    /// Privacy models.
    Models,
}

/// The words of a closed set of choices.
pub fn words<T: Named>() -> Vec<&'static str> {
    T::ALL.iter().map(|choice| choice.name()).collect()
}

/// A key that may be left out.
pub const fn key(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, says, takes, required: false }
}

/// A key that must be there.
pub const fn needed(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, says, takes, required: true }
}

pub(crate) const CELLS: Takes = Takes::List(&Takes::Cell);
