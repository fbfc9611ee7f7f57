//! Spark, over Spark Connect: its own servers, those of the platforms that offer it, and Sail.
//!
//! One session of the server from the first question to the end. Questions are SQL; answers are Arrow, and the rest of an answer is asked
//! for again when a connection breaks. Mappings are temporary views over rows that are sent along. A table is read at one version where it
//! has versions; else its files are listed before and after, with their sizes, and a difference ends the run.
//!
//! The server's words are never shown, because they may quote a cell.

mod channel;
mod client;
mod columns;
mod door;
mod engine;
mod execution;
mod failure;
mod mapping;
mod messages;
mod publication;
mod rows;
mod session;
mod snapshot;
mod types;

pub use engine::Spark;
