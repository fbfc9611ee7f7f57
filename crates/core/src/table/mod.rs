//! The table as the search sees it: distinct tuples of codes with weights, no rows, no strings.

mod column_codes;
mod frequency;
mod people;
mod sensitive;
mod source;

pub use column_codes::ColumnCodes;
pub use frequency::{FrequencyTable, TableError};
pub(crate) use people::count;
pub use people::{People, PeopleError, PersonRows};
pub use sensitive::{Histograms, SensitiveColumn};
pub use source::{TupleSource, TupleSourceError};
