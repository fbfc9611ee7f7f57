//! From cells to codes: the first reading of a table. Memory grows with distinct values and distinct tuples, not with rows.

mod collect;
mod counts;
mod dictionary;
mod frequencies;
mod packed;
mod scan;
mod tally;
mod tuples;

pub use counts::{
    Combinations, CountError, Counted, CountedTuple, HeldTuples, Origin, PopulationCount, SensitiveView,
};
pub use dictionary::Dictionary;
pub use frequencies::{Frequencies, StreamedTable};
pub use packed::PackedTuples;
pub use scan::{CodedColumn, ScanError, Seen, scan, scan_columns, scan_with, try_scan};
pub use tally::Tally;
pub use tuples::Tuples;
