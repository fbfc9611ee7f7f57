//! What a list of keys is made of.
//!
//! Each section's file lists its keys: name, what it says, what it takes. The parser refuses what is not listed, and the JSON Schema is
//! made from the same lists, so the two cannot drift apart. Keys of the privacy models are on their cards.

use crate::names::Named;

/// A key of a section.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// In one sentence, without a full stop.
    pub(crate) says: &'static str,
    pub(crate) takes: Takes,
    pub(crate) required: bool,
}

/// What can be written behind a key.
#[derive(Debug)]
pub(crate) enum Takes {
    Text,
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
    List(&'static Takes),
    Either(&'static [Takes]),
    Table(&'static [Key]),
    /// A table whose keys are free.
    Named(&'static Takes),
    Hierarchy,
    Groups,
    Models,
}

pub(crate) fn words<T: Named>() -> Vec<&'static str> {
    T::ALL.iter().map(|choice| choice.name()).collect()
}

pub(crate) const fn key(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, says, takes, required: false }
}

pub(crate) const fn needed(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, says, takes, required: true }
}

pub(crate) const CELLS: Takes = Takes::List(&Takes::Cell);
