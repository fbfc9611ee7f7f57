//! From a job and its table to a [`Task`](paravent_core::task::Task) that can be solved.
//!
//! [`hierarchies`] makes what the job says about generalization into levels, [`study`] matches columns, counts the table and
//! translates the promises, and [`transform`] keeps a transformation so that it can be applied again.

pub mod hierarchies;
pub mod study;
pub mod threads;
pub mod transform;
