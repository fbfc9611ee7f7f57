//! Noise on cells without a database: read, look, pay, draw, and write a release like any other.
//!
//! ```
//! use paravent_noise::budget::Cost;
//! use paravent_pipeline::ledger::Book;
//! use paravent_pipeline::noise::{Prepared, Request, column};
//! use paravent_pipeline::read::{Input, ReadOptions};
//! use paravent_pipeline::slice::CodedTable;
//!
//! let text = "sex,disease\nf,flu\nm,gout\nf,gout\nm,flu\n";
//! let table = CodedTable::read(&Input::from_bytes(text, ReadOptions::new("people.csv")))?;
//! let request = Request { columns: vec![column("sex=0.5:uniform('f', 'm')")?], seed: Some(1) };
//! let mut book = Book::in_memory(Cost::parse("2", None)?);
//! let noisy = Prepared::new(&table, None, &request)?.pay(&mut book)?.draw(&table)?;
//! assert_eq!((noisy.rows(), noisy.charge.epsilon.as_str()), (4, "1.098613"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of a table: [`CodedTable`](crate::slice::CodedTable) → [`Prepared`] (the noise is understood and every cell is one of its values; what must not leave is
//! refused) → [`Paid`] (the cost is on disk) → [`NoisyTable`] → a bare table, or [`write_release`]. Nothing is drawn before it is paid for, because only
//! [`Paid`] draws. [`Inside`] lets a database do the same with the rows that it has.

mod account;
mod build;
mod error;
mod grid;
mod inside;
mod kernel;
mod law;
mod manifest;
mod mechanism;
mod noisy;
mod people;
mod prepare;
mod release;
mod statement;
mod strength;
mod writable;

pub use account::{Charge, ColumnAccount, ValueEstimate};
pub use error::NoiseError;
pub use inside::{DrawnInside, Inside};
pub use law::{NamedNoise, column};
pub use mechanism::{Drawn, Mechanism, OutsidePolicy};
pub use noisy::NoisyTable;
pub use paravent_prepare::hierarchies::declared_values;
pub use prepare::{Paid, Prepared, Request};
pub use release::{dry_run, write_release};
pub use statement::{Unknown, statement};

#[cfg(test)]
mod tests;
