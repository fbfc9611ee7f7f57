//! Tuples of codes with their counts, in memory.

mod bag;
mod packed;
mod packing;
mod tally;

pub use bag::Tuples;
pub use packed::PackedTuples;
pub use packing::Packing;
pub use tally::Tally;
