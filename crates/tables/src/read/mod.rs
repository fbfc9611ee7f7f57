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

mod ahead;
mod arrow_ipc;
mod batch;
mod cell_text;
mod chunks;

mod delimited;
mod detect;
mod engine_rows;
mod error;
mod files;
mod formats;
mod frame;
mod header;
mod input;
mod json;
mod json_values;
mod memory;
mod options;
mod original;
mod parquet_file;
mod record_batches;
mod released;
mod render;
mod sample;
mod source;
mod stata;
#[cfg(test)]
mod tests;
mod text;
mod workbook;

pub use ahead::ReadAhead;
pub use batch::{Batch, TextColumn};
pub use detect::detect_delimiter;
pub use engine_rows::{CountedLine, EngineTable};
pub use error::{Place, ReadError};
pub use frame::Frame;
pub use header::{listed as listed_columns, reads_like_a_cell};
pub use input::{Fingerprint, Input, digest};
pub use memory::Table;
pub use options::{Blanks, Dialect, Encoding, Format, Header, ReadOptions};
pub(crate) use render::texts;
pub use sample::Sample;
pub use source::Source;
