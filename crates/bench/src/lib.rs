//! Measures the search of Paravent, for researchers and for ourselves.
//!
//! A [`Plan`] names tables (folders, or [`Shape`](dataset::Shape)s to be made up), workloads of the literature and algorithms; [`run`]
//! gives back [`Results`]: times, checks, memory, and whether all algorithms found the same optimum. Times are also told in
//! plain hash aggregations of the same table, which carry over from machine to machine.
//!
//! ```
//! use paravent_bench::{Plan, audience::Nobody, run, workload::Workload};
//!
//! let mut plan = Plan::new(vec![Workload::Quick]);
//! plan.shapes.push("rows=500,qi=3".parse()?);
//! let results = run(&plan, &Nobody)?;
//! assert!(results.agree());
//! assert_eq!(results.cases.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On the way: [`dataset`] reads or makes tables, [`workload`] says which cases are run, a case is counted and searched as every job
//! is, [`baseline`] holds reference times against it, [`results`] is the account and [`svg`] draws it. [`engines`] runs one job wherever its table lives.

mod aggregation;
pub mod audience;
pub mod baseline;
mod case;
pub mod dataset;
mod effort;
mod end_to_end;
pub mod engines;
mod error;
pub mod exports;
mod measure;
mod parts;
mod plan;
mod prepare;
pub mod promise;
mod recoding;
mod resident;
pub mod results;
mod stopwatch;
mod suppression;
pub mod svg;
mod timing;
pub mod workload;

pub use error::BenchError;
pub use measure::Settings;
pub use plan::{Plan, run};
pub use results::Results;
