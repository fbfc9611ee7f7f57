//! The real server on a real socket, and the types of the page.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod client;
mod job;
mod joint;
#[cfg(feature = "sql")]
mod policy;
mod runs;
mod security;
mod types;
// Compiled once more, because the declarations for the page are made in tests only.
#[allow(dead_code, unused_imports, missing_docs, reason = "only the declarations are of interest")]
#[path = "../../src/wire/mod.rs"]
mod wire;
