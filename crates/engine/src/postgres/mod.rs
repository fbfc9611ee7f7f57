//! PostgreSQL, over its own protocol.
//!
//! One connection and one transaction (REPEATABLE READ) from the first question to the end: all questions see the same rows, and whatever
//! fails leaves nothing behind. Answers are read through cursors, so that several may be open and none is held in memory.
//! An ordinary role is enough: it needs SELECT on the columns that are asked for, TEMPORARY for recodings, and CREATE in the schema where a table is made.

mod cells;
mod copy;
mod cursor;
mod draws;
mod engine;
mod failure;
mod login;
mod password;
mod people;
mod session;
mod tls;
mod wire;

pub use engine::Postgres;
