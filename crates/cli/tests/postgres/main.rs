//! Jobs whose table stays in PostgreSQL. The tests start a server of their own; see `server.rs`.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

#[path = "../elsewhere/cases.rs"]
mod cases;
mod changes;
mod commands;
mod draws;
mod faults;
mod people;
#[path = "../elsewhere/program.rs"]
mod program;
#[path = "../elsewhere/proxy.rs"]
mod proxy;
mod server;
mod slices;
#[path = "../elsewhere/small.rs"]
mod small;
mod tables;
mod tls;
mod twins;
mod wire;

use program::{done, paravent, run, stderr, stdout};
