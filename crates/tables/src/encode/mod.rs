//! From cells to codes: the first reading of a table. Memory grows with distinct values and distinct tuples, not with rows.

mod collect;
mod counts;
mod dictionary;
mod frequencies;
mod numbers;
mod parts;
mod scan;

pub use crate::tuples::{PackedTuples, Tally, Tuples};
pub use counts::{
    Combinations, CountError, Counted, CountedTuple, HeldTuples, Origin, PopulationCount, SensitiveView,
};
pub use dictionary::Dictionary;
pub use frequencies::{Frequencies, StreamedTable};
pub use numbers::NumberTreatment;
pub use parts::{Counting, count_parts};
pub use scan::{
    CodedColumn, CodedLines, ScanError, Seen, scan, scan_columns, scan_grouped, scan_lines, scan_with,
    try_scan,
};
