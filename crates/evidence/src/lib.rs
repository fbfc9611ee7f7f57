//! What an attacker can still learn from a table: measured, not promised.
//!
//! `microdata` is a table as its reader sees it; `risk` puts figures on re-identification and disclosure, `information` measures
//! the same on the scale of bits, `columns` says what a column seems to be, and `attack` runs the known attacks and says how far they got. Nothing here opens a file, and
//! nothing here changes a table.

pub mod attack;
pub mod columns;
pub mod information;
pub mod microdata;
pub mod risk;
