//! The real binary on real files.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod apart;
mod attack;
mod beginnings;
mod bench;
mod boxes_attacked;
mod choosing;
mod commands;
#[path = "../../../job/src/tests/conform.rs"]
mod conform;
mod dry_runs;
mod exports;
mod first_contact;
mod folders;
mod formats;
mod guarded;
mod held_against;
mod hierarchies;
mod infeasible;
mod interrupted;
mod job_problems;
#[cfg(feature = "sql")]
mod lakes;
mod ledger;
mod loose;
mod network;
mod noise;
mod noise_people;
mod officer;
mod other_formats;
mod parties;
mod people;
mod person_key;
mod pipelines;
mod places;
mod policy;
mod readme;
mod recipients;
mod recoding;
mod register;
mod release;
mod repeatable;
#[cfg(feature = "sql")]
mod rewrite;
mod risk;
mod schemas;
mod secrets;
mod sheets;
mod slice;
mod spellings;
#[cfg(feature = "sql")]
mod sql;
#[cfg(feature = "sql")]
mod sql_release;
mod strangers;
mod support;
mod table_problems;
mod tampered;
mod tampered_kinds;
mod threads;
mod treatments;
#[cfg(feature = "ui")]
mod ui;
mod unchanged;
mod verdicts;
mod weak_and_strong;
mod wide;
