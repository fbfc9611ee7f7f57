//! Rows → equivalence classes under a node: from the frequency table, or rolled up from classes of a specialization.

mod assign;
mod class;
mod classes;
mod grouper;
mod history;

pub use class::{Class, Distribution};
pub use classes::Classes;
pub use grouper::{Grouper, GroupingStats};

#[cfg(test)]
mod tests;
