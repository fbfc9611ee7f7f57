//! Reading tables: every format becomes batches of text, column by column.
//!
//! ```
//! use paravent_tables::read::{Batch, Input, ReadOptions};
//!
//! let options = ReadOptions::new("patients.csv");
//! let input = Input::from_bytes(b"age;zip\n34;81667\n45;\n".to_vec(), options);
//! let mut source = input.open()?;
//! assert_eq!(source.columns(), ["age", "zip"]);
//!
//! let mut batch = Batch::default();
//! while source.next_batch(&mut batch)? {
//!     assert_eq!(batch.columns[0].get(1), Some("45"));
//!     assert_eq!(batch.columns[1].get(1), None);
//! }
//! # Ok::<(), paravent_tables::read::ReadError>(())
//! ```
//!
//! The way of a table: an [`Input`] says where it is and can be opened any number of times (a job reads its table twice);
//! [`Input::open`] looks at the first bytes, settles the [`Dialect`] and reads the header; [`Source::next_batch`] then
//! streams the rows, or [`ReadAhead`] does so on a thread of its own. Memory holds a few batches, whatever the table's size.
//!
//! Nothing is trimmed unless asked for, and nothing is guessed about types here: a cell is its text, in the engine's spelling
//! where the options say how a column is written. Errors name the file, the line or row
//! and the column, never what the cell holds.

/// Makes the list of formats: a file and a line each.
macro_rules! formats {
    ($($(#[$doc:meta])* $module:ident::$format:ident),+ $(,)?) => {
        $(mod $module;)+

        /// How the rows are stored.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[$doc])* $format),+
        }

        impl Format {
            /// All formats, in the order in which they are looked for.
            pub const ALL: &'static [Format] = &[$(Format::$format),+];
        }

        /// What each can do, in the same order.
        const FORMATS: &[&formats::Kind] = &[$(&$module::FORMAT),+];
    };
}

// What is recognised by its first bytes comes before what is not.
formats! {
    /// Apache Parquet.
    parquet_file::Parquet,
    /// Arrow IPC, file or stream.
    arrow_ipc::Arrow,
    /// A spreadsheet of LibreOffice and others.
    ods::Ods,
    /// A spreadsheet workbook.
    workbook::Xlsx,
    /// A data set of Stata.
    stata::Dta,
    /// JSON: an object per line, or one array of objects.
    json::Json,
    /// Delimited text, the delimiter being a tab.
    tsv::Tsv,
    /// Delimited text.
    delimited::Csv,
}

mod ahead;
mod batch;
mod cell_text;
mod chunks;
mod detect;
mod engine_rows;
mod error;
mod files;
mod formats;
mod frame;
mod header;
mod input;
mod json_values;
mod memory;
mod options;
mod original;
mod record_batches;
mod released;
mod render;
mod sample;
mod source;
#[cfg(test)]
mod tests;
mod text;

pub use ahead::ReadAhead;
pub use batch::{Batch, TextColumn};
pub use detect::detect_delimiter;
pub use engine_rows::{CountedLine, EngineTable, PeopleTable};
pub use error::{Place, ReadError};
pub use formats::{Cells, Missing};
pub use frame::Frame;
pub use header::{listed as listed_columns, reads_like_a_cell};
pub use input::{Fingerprint, Input, digest};
pub use memory::Table;
pub use options::{Blanks, Dialect, Encoding, Header, ReadOptions};
pub(crate) use render::texts;
pub use sample::Sample;
pub use source::Source;
