//! The pure engine of Paravent: hierarchies, lattice, criteria, metrics and search.
//!
//! No files, no network, no clock, no async, no global randomness. A module uses only those before it in this list:
//! [`exact`], [`values`], [`table`], [`hierarchy`], [`lattice`].

pub mod exact;
pub mod hierarchy;
pub mod lattice;
pub mod table;
pub mod values;

