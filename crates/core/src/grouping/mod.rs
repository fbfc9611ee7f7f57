//! Rows → equivalence classes under a node: from the frequency table, or rolled up from classes of a specialization.

mod class;
mod classes;
mod exposure;
mod grouper;
mod histograms;
mod history;
mod layout;
mod lift;
mod number;
mod people;
mod present;
mod slots;
mod streamed;
mod tally;

pub use class::{Class, Distribution};
pub use classes::Classes;
pub(crate) use exposure::Rarity;
pub(crate) use grouper::{Codes, UseTally};
pub use grouper::{Grouper, GroupingStats};
pub(crate) use layout::Layout;
pub(crate) use people::PeopleOfClass;
pub use people::{Crowds, PeopleInClasses, Shown};
pub(crate) use streamed::Streamed;

#[cfg(test)]
mod tests;
