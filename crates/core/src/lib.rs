//! The pure engine of Paravent: a table about people goes in as counts, and what may be released of it comes out.
//!
//! A [`Task`](task::Task) says what is to be solved:
//!
//! - the **tuples**: the distinct combinations of quasi-identifier values, as codes, with their counts
//!   ([`FrequencyTable`](table::FrequencyTable), or any other [`TupleSource`](table::TupleSource)),
//! - the **columns**: a [`QuasiIdentifier`](task::QuasiIdentifier) each, with the levels of its hierarchy
//!   ([`Ladder`](hierarchy::Ladder)),
//! - the **criteria** that every released class must keep ([`criteria`]),
//! - the **metric** to minimise ([`Metric`](quality::Metric)),
//! - the **limit** of what may be suppressed ([`SuppressionLimit`](task::SuppressionLimit)).
//!
//! One level per column is a node of the generalization lattice. The [`search`] finds the node that keeps the criteria
//! and loses least; the node applied to the tuples is the [`Solution`](release::Solution).
//!
//! ```
//! use paravent_core::criteria::KAnonymity;
//! use paravent_core::exact::Fraction;
//! use paravent_core::hierarchy::Ladder;
//! use paravent_core::quality::Metric;
//! use paravent_core::release::Fate;
//! use paravent_core::search::Algorithm;
//! use paravent_core::solve::Effort;
//! use paravent_core::table::FrequencyTable;
//! use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
//! use std::sync::Arc;
//!
//! // A line per value of a column: its labels from level 0 up. A value's code is the number of its line.
//! let ladder = |lines: &[[&str; 3]]| {
//!     let labels = |line: &[&str; 3]| line.iter().map(|label| Some(label.to_string())).collect();
//!     Ladder::from_labels(&lines.iter().map(labels).collect::<Vec<_>>())
//! };
//! let age = ladder(&[["34", "30-39", "*"], ["36", "30-39", "*"], ["45", "40-49", "*"], ["81", "80-89", "*"]])?;
//! let zip = ladder(&[["81667", "816**", "*"], ["81675", "816**", "*"], ["81925", "819**", "*"]])?;
//! let columns = QuasiIdentifiers::new([QuasiIdentifier::new("age", age), QuasiIdentifier::new("zip", zip)])?;
//!
//! // Five tuples, column by column, and how many rows show each.
//! let tuples = FrequencyTable::new(
//!     vec![vec![0, 1, 2, 2, 3], vec![0, 1, 0, 1, 2]],
//!     vec![1, 2, 2, 1, 1],
//!     None,
//!     Vec::new(),
//! )?;
//!
//! // Everybody shall look like at least two others, and one row in five may be left out.
//! let limit = SuppressionLimit::Share(Fraction::parse("0.2")?);
//! let criteria = vec![Box::new(KAnonymity { k: 3 }) as _];
//! let task = Task::new(Arc::new(tuples), columns, criteria, Metric::NonUniformEntropy, limit)?;
//! let solution = task.solve(Algorithm::BestFirst, &Effort::default())?.expect("the top level keeps it");
//!
//! assert_eq!(solution.node.to_string(), "(1,1)");
//! assert_eq!((solution.suppressed_rows, solution.classes, solution.smallest_class), (1, 2, 3));
//! let table = task.tuples().held().expect("it is in memory");
//! let label = |column: usize, tuple: usize| {
//!     let rung = task.ladders()[column].rung(solution.node.levels()[column]);
//!     rung.labels[rung.group_of[table.column(column).get(tuple) as usize] as usize].as_deref().unwrap_or("")
//! };
//! let released: Vec<String> = (0..table.tuple_count())
//!     .filter(|&tuple| solution.fates.by_tuple()[tuple] == Fate::Kept)
//!     .map(|tuple| format!("{} × {} {}", table.rows()[tuple], label(0, tuple), label(1, tuple)))
//!     .collect();
//! released.iter().for_each(|row| println!("{row}"));
//! assert_eq!(released, ["1 × 30-39 816**", "2 × 30-39 816**", "2 × 40-49 816**", "1 × 40-49 816**"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where the columns need not keep one level each, [`Task::recode`](task::Task::recode) gives every class a box of its own
//! ([`recoding`]), with a lower bound of the loss beside it.
//!
//! No files, no network, no clock, no async, no global randomness. A module uses only those before it in this list:
//! [`words`], [`exact`], [`values`], [`table`], [`hierarchy`], [`lattice`], [`grouping`], [`criteria`], [`quality`], [`task`],
//! [`search`], [`release`], [`solve`], [`recoding`].

pub mod criteria;
pub mod exact;
pub mod grouping;
pub mod hierarchy;
pub mod lattice;
pub mod quality;
pub mod recoding;
pub mod release;
pub mod search;
pub mod solve;
pub mod table;
pub mod task;
pub mod values;
pub mod words;

#[cfg(test)]
mod testing;
