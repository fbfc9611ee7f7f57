//! The pure engine of Paravent: hierarchies, lattice, criteria, metrics and search.
//!
//! No files, no network, no clock, no async, no global randomness. A module uses only those before it in this list:
//! [`exact`], [`values`], [`table`], [`hierarchy`], [`lattice`], [`grouping`], [`criteria`], [`quality`], [`task`], [`search`],
//! [`release`].

pub mod criteria;
pub mod exact;
pub mod grouping;
pub mod hierarchy;
pub mod lattice;
pub mod quality;
pub mod release;
pub mod search;
pub mod table;
pub mod task;
pub mod values;

#[cfg(test)]
mod testing;
