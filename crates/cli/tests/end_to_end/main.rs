//! The real binary on real files.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod attack;
mod bench;
mod commands;
mod folders;
mod formats;
mod guarded;
mod infeasible;
mod interrupted;
mod job_problems;
#[cfg(feature = "sql")]
mod ledger;
mod network;
mod noise;
mod parties;
mod people;
mod places;
mod recoding;
mod register;
mod release;
mod repeatable;
#[cfg(feature = "sql")]
mod rewrite;
mod risk;
mod secrets;
mod slice;
#[cfg(feature = "sql")]
mod sql;
#[cfg(feature = "sql")]
mod sql_release;
mod support;
mod table_problems;
mod tampered;
mod tampered_kinds;
mod unchanged;
mod wide;
