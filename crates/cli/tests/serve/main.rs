//! The server of a policy, with psql and pgbench as clients, and with bytes of our own.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod attacks;
mod bytes;
mod catalog;
mod limits;
mod load;
mod login;
mod past;
mod place;
mod tls;
mod tours;
#[path = "../../../processor/tests/ward/mod.rs"]
mod ward;
