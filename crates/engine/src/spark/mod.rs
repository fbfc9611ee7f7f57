//! Spark and whatever else speaks Spark Connect: a session that counts, recodes, and makes a table.
//!
//! [`messages`] are the few messages of the protocol that are needed, [`wire`] carries them, [`login`] reads the address, [`mapping`] writes
//! what is put beside the tables, [`failure`] says what went wrong in our words, [`session`] is the engine.

mod failure;
mod login;
mod mapping;
mod messages;
mod session;
mod wire;

pub use session::Spark;
