//! From cells to codes: the first reading of a table. Memory grows with distinct values and distinct tuples, not with rows.

mod counts;
mod dictionary;
mod scan;
mod tuples;

pub use counts::{Combinations, Counted, Origin, PopulationCount, SensitiveView};
pub use dictionary::Dictionary;
pub use scan::{CodedColumn, ScanError, Seen, scan};
pub use tuples::Tuples;
