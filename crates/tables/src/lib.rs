//! Tables between files and codes: [`read`] any format into batches of text, [`encode`] cells as codes and count rows,
//! [`spill`] what memory does not hold, and [`write`](mod@write) a released table so that it appears at once.
//!
//! ```
//! use paravent_tables::read::{Input, ReadOptions};
//!
//! let input = Input::from_bytes("age,sex\n34,f\n45,m\n34,f\n", ReadOptions::new("people.csv"));
//! let source = input.open()?;
//! assert_eq!(source.columns(), ["age", "sex"]);
//! # Ok::<(), paravent_tables::read::ReadError>(())
//! ```

pub mod alike;
pub mod civil;
pub mod digest;
pub mod encode;
pub mod engine;
pub mod keyed;
pub mod missing_words;
pub mod read;
pub mod spill;
pub mod tuples;
pub mod unnamed;
pub mod watch;
pub mod write;
