//! Jobs whose table stays in Spark, or in what speaks Spark Connect. The tests start a Sail of their own; see `server.rs`.
//! Those of `apache.rs` are for Apache Spark, and run when they are asked for.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod apache;
#[path = "../elsewhere/cases.rs"]
mod cases;
mod draws;
mod faults;
mod lake;
#[path = "../elsewhere/program.rs"]
mod program;
#[path = "../elsewhere/proxy.rs"]
mod proxy;
mod server;
#[path = "../elsewhere/small.rs"]
mod small;
mod twins;
mod wire;

use program::{done, paravent, run};
