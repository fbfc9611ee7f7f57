//! Who takes part.

use std::fmt;

/// Position of a party: the primary parties from 0 in ring order, then the helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartyId(pub u16);

impl fmt::Display for PartyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "party {}", u32::from(self.0) + 1)
    }
}

/// A primary party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What the others call it.
    pub name: String,
    /// Whether it brings rows.
    pub holds: Holds,
}

/// What a primary party brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Its part of the table.
    Data,
    /// Nothing: it is there so that others' rows can be mixed.
    Nothing,
}
